{{/* Names, labels and images. */}}

{{/* Name of the release's objects: at most 40 characters, because suffixes follow. */}}
{{- define "isopod.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 40 | trimSuffix "-" -}}
{{- else if contains .Chart.Name .Release.Name -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name .Chart.Name | trunc 40 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{/* Labels by which objects select the pods of one component. Argument: list of root context and component. */}}
{{- define "isopod.selector" -}}
app.kubernetes.io/name: {{ (first .).Chart.Name }}
app.kubernetes.io/instance: {{ (first .).Release.Name | trunc 63 | trimSuffix "-" }}
app.kubernetes.io/component: {{ last . }}
{{- end -}}

{{/* Labels of an object. Argument: list of root context and component. */}}
{{- define "isopod.labels" -}}
{{ include "isopod.selector" . }}
app.kubernetes.io/version: {{ (first .).Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ (first .).Release.Service }}
helm.sh/chart: {{ printf "%s-%s" (first .).Chart.Name (first .).Chart.Version | replace "+" "_" }}
{{- end -}}

{{/* An image and its pull policy. Argument: list of root context and image. */}}
{{- define "isopod.image" -}}
image: {{ printf "%s:%s" (last .).repository ((last .).tag | default (first .).Chart.AppVersion) | quote }}
imagePullPolicy: {{ (last .).pullPolicy }}
{{- end -}}
