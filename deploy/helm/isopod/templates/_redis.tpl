{{/* Where Redis is. */}}

{{- define "isopod.redisHost" -}}
{{- if .Values.redis.enabled -}}
{{ include "isopod.fullname" . }}-redis
{{- else -}}
{{ required "redis.external.host: must name the external Redis, because redis.enabled is false" .Values.redis.external.host }}
{{- end -}}
{{- end -}}

{{- define "isopod.redisPort" -}}
{{ if .Values.redis.enabled }}6379{{ else }}{{ int .Values.redis.external.port }}{{ end }}
{{- end -}}

{{/* Secret with the password under `password`; empty for an external Redis without one. */}}
{{- define "isopod.redisSecret" -}}
{{- if .Values.redis.existingSecret -}}
{{ .Values.redis.existingSecret }}
{{- else if or .Values.redis.enabled .Values.redis.password -}}
{{ include "isopod.fullname" . }}-redis
{{- end -}}
{{- end -}}

{{/* REDIS_URL. The kubelet puts the password into it, so that no object but the Secret has it. */}}
{{- define "isopod.redisVariables" -}}
{{- $external := ternary dict .Values.redis.external .Values.redis.enabled -}}
{{- $user := $external.username | default "" -}}
{{- with include "isopod.redisSecret" . }}
{{- $user = printf "%s:$(REDIS_PASSWORD)" $user }}
- name: REDIS_PASSWORD
  valueFrom:
    secretKeyRef: { name: {{ . }}, key: password }
{{- end }}
{{- $scheme := ternary "rediss" "redis" ($external.tls | default false) }}
{{- $address := printf "%s:%s/%d" (include "isopod.redisHost" .) (include "isopod.redisPort" .) (int $external.database) }}
- name: REDIS_URL
  value: {{ printf "%s://%s%s" $scheme (ternary "" (printf "%s@" $user) (empty $user)) $address | quote }}
{{- end -}}
