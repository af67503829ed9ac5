{{/* Parts of pods. */}}

{{/* Where a pod may run, and as whom. Argument: list of root context and the component's values. */}}
{{- define "isopod.placement" -}}
{{- $root := first . -}}
{{- $values := last . -}}
{{- /* No pod calls the API server, or needs the variables that Kubernetes makes of Services. */ -}}
automountServiceAccountToken: false
enableServiceLinks: false
{{- with $root.Values.imagePullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
{{- with $values.serviceAccountName }}
serviceAccountName: {{ . }}
{{- end }}
{{- with $values.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- with $values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $values.affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $values.topologySpreadConstraints }}
topologySpreadConstraints:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{/* Security context of a container that runs as an unprivileged user and writes no file. Argument: user id. */}}
{{- define "isopod.unprivileged" -}}
runAsNonRoot: true
runAsUser: {{ . }}
runAsGroup: {{ . }}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
seccompProfile: { type: RuntimeDefault }
{{- end -}}

{{/* A setting as text: numbers of values would get an exponent. */}}
{{- define "isopod.text" -}}
{{- if and (kindIs "float64" .) (eq . (floor .)) }}{{ int64 . | quote }}{{ else }}{{ toString . | quote }}{{ end }}
{{- end -}}

{{/* Settings as variables. Argument: list of maps; the later ones win. */}}
{{- define "isopod.settings" -}}
{{- $all := dict -}}
{{- range . }}{{ $all = merge (deepCopy .) $all }}{{ end -}}
{{- range $name, $value := $all }}
- name: {{ $name }}
  value: {{ include "isopod.text" $value }}
{{- end }}
{{- end -}}
