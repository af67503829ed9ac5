{{/* Documents of workers that values have: file name → content. */}}
{{- define "isopod.documents" -}}
{{- $documents := dict -}}
{{- with .Values.worker.tenants }}{{ $_ := set $documents "tenants.yaml" . }}{{ end -}}
{{- with .Values.worker.networkProfiles }}{{ $_ := set $documents "network-profiles.yaml" . }}{{ end -}}
{{- with .Values.worker.languages }}{{ $_ := set $documents "languages.yaml" . }}{{ end -}}
{{ toYaml $documents }}
{{- end -}}
