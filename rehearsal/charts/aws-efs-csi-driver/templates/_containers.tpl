{{/* What the containers of both workloads have in common. */}}

{{/* Takes a list of root context and the values of controller or node. */}}
{{- define "plugin" -}}
{{- $root := index . 0 -}}
{{- with index . 1 -}}
image: {{ include "image" (list $root.Values.image $root.Chart.AppVersion) }}
imagePullPolicy: {{ $root.Values.image.pullPolicy }}
ports:
  - {name: healthz, containerPort: {{ .healthPort }}, protocol: TCP}
{{- include "fields" (list . "livenessProbe" "readinessProbe" "resources" "startupProbe") }}
{{- end -}}
{{- end -}}

{{/* Takes the values of a sidecar. */}}
{{- define "sidecar" -}}
image: {{ include "image" (list .image "") }}
imagePullPolicy: {{ .image.pullPolicy }}
{{- include "fields" (list . "resources" "securityContext") }}
{{- end -}}

{{/* Takes a list of root context and the variables that the values give. */}}
{{- define "environment" -}}
{{- $root := index . 0 -}}
- name: CSI_NODE_NAME
  valueFrom: {fieldRef: {fieldPath: spec.nodeName}}
{{- if $root.Values.useFIPS }}
- {name: AWS_USE_FIPS_ENDPOINT, value: "true"}
{{- end }}
{{- with $root.Values.portRangeUpperBound }}
- {name: PORT_RANGE_UPPER_BOUND, value: {{ . | quote }}}
{{- end }}
{{- with index . 1 }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* A map as the driver's flag takes it: a:b c:d */}}
{{- define "tags" -}}
{{- $tags := list -}}
{{- range $key, $value := . }}{{ $tags = append $tags (printf "%s:%v" $key $value) }}{{ end -}}
{{- join " " $tags -}}
{{- end -}}
