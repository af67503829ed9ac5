// Renders a chart as "helm template" does: text/template with the functions of sprig, and those that Helm adds.
//
//	stdin:  {"chart": directory, "values": object, "release": name, "namespace": name, "cluster": {"Kind/name": object}}
//	stdout: {"values": object, "files": {"path of a template": text}}
//
// It has only those functions of Helm that the chart uses. Values are coalesced as Helm does: objects are merged, null removes.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"text/template"

	"github.com/Masterminds/sprig"
	"sigs.k8s.io/yaml"
)

type object = map[string]interface{}

type request struct {
	Chart     string            `json:"chart"`
	Values    object            `json:"values"`
	Release   string            `json:"release"`
	Namespace string            `json:"namespace"`
	Cluster   map[string]object `json:"cluster"`
}

type answer struct {
	Values object            `json:"values"`
	Files  map[string]string `json:"files"`
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	var asked request
	if err := json.NewDecoder(os.Stdin).Decode(&asked); err != nil {
		return err
	}
	rendered, err := render(asked)
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(rendered)
}

func render(asked request) (*answer, error) {
	var chart, defaults object
	if err := readYaml(filepath.Join(asked.Chart, "Chart.yaml"), &chart); err != nil {
		return nil, err
	}
	if err := readYaml(filepath.Join(asked.Chart, "values.yaml"), &defaults); err != nil {
		return nil, err
	}
	all := template.New("chart").Option("missingkey=zero")
	all.Funcs(functions(all, asked.Cluster))
	paths, err := parseTemplates(all, asked.Chart)
	if err != nil {
		return nil, err
	}
	values := coalesce(defaults, asked.Values)
	context := object{
		"Values":  values,
		"Release": object{"Name": asked.Release, "Namespace": asked.Namespace, "Service": "Helm"},
		"Chart":   capitalized(chart),
	}
	files := map[string]string{}
	for _, path := range paths {
		if strings.HasPrefix(filepath.Base(path), "_") {
			continue
		}
		text, err := execute(all, path, context)
		if err != nil {
			return nil, err
		}
		files[path] = text
	}
	return &answer{values, files}, nil
}

func parseTemplates(all *template.Template, chart string) ([]string, error) {
	var paths []string
	err := filepath.Walk(filepath.Join(chart, "templates"), func(file string, info os.FileInfo, err error) error {
		if err != nil || info.IsDir() {
			return err
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		path, err := filepath.Rel(chart, file)
		if err != nil {
			return err
		}
		paths = append(paths, path)
		_, err = all.New(path).Parse(string(text))
		return err
	})
	return paths, err
}

func execute(all *template.Template, name string, context interface{}) (string, error) {
	var text bytes.Buffer
	if err := all.ExecuteTemplate(&text, name, context); err != nil {
		return "", err
	}
	// What Helm does about a value that is missing.
	return strings.ReplaceAll(text.String(), "<no value>", ""), nil
}

func functions(all *template.Template, cluster map[string]object) template.FuncMap {
	known := sprig.TxtFuncMap()
	delete(known, "env")
	delete(known, "expandenv")
	known["include"] = func(name string, context interface{}) (string, error) { return execute(all, name, context) }
	known["required"] = func(message string, value interface{}) (interface{}, error) {
		if value == nil || value == "" {
			return nil, errors.New(message)
		}
		return value, nil
	}
	known["toYaml"] = func(value interface{}) (string, error) {
		text, err := yaml.Marshal(value)
		return strings.TrimSuffix(string(text), "\n"), err
	}
	known["fromYaml"] = func(text string) (object, error) {
		value := object{}
		err := yaml.Unmarshal([]byte(text), &value)
		return value, err
	}
	known["lookup"] = func(_, kind, _, name string) object {
		if found, ok := cluster[kind+"/"+name]; ok {
			return found
		}
		return object{}
	}
	return known
}

func coalesce(defaults, given object) object {
	merged := object{}
	for key, value := range defaults {
		merged[key] = value
	}
	for key, value := range given {
		below, isObject := merged[key].(object)
		above, areObjects := value.(object)
		switch {
		case value == nil:
			delete(merged, key)
		case isObject && areObjects:
			merged[key] = coalesce(below, above)
		default:
			merged[key] = value
		}
	}
	return merged
}

func capitalized(chart object) object {
	fields := object{}
	for key, value := range chart {
		fields[strings.ToUpper(key[:1])+key[1:]] = value
	}
	return fields
}

func readYaml(file string, into *object) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	return yaml.Unmarshal(text, into)
}
