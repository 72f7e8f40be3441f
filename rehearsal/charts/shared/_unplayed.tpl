{{/* Refuses what a stand-in has no objects for: takes a list of root context and paths of values. */}}
{{- define "unplayed" -}}
{{- $root := index . 0 -}}
{{- range $path := rest . -}}
{{- $value := $root.Values -}}
{{- range splitList "." $path }}{{ $value = index $value . }}{{ end -}}
{{- if $value -}}
{{- fail (printf "%s: the rehearsal's stand-in for chart %s does not play it" $path $root.Chart.Name) -}}
{{- end -}}
{{- end -}}
{{- end -}}
