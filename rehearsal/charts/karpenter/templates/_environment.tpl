{{/* The controller's variables, from the values that upstream takes them from. */}}

{{/* Which setting a variable comes from. A setting that is false, 0 or empty prints nothing. */}}
{{- define "variables" -}}
AMI_REFRESH_INTERVAL: amiRefreshInterval
BATCH_IDLE_DURATION: batchIdleDuration
BATCH_MAX_DURATION: batchMaxDuration
CLUSTER_CA_BUNDLE: clusterCABundle
CLUSTER_ENDPOINT: clusterEndpoint
DISABLE_CLUSTER_STATE_OBSERVABILITY: disableClusterStateObservability
DISABLE_DRY_RUN: disableDryRun
EKS_CONTROL_PLANE: eksControlPlane
ENABLE_ZONAL_SHIFT: enableZonalShift
IGNORE_DRA_REQUESTS: ignoreDRARequests
INTERRUPTION_QUEUE: interruptionQueue
ISOLATED_VPC: isolatedVPC
MIN_VALUES_POLICY: minValuesPolicy
PREFERENCE_POLICY: preferencePolicy
RESERVED_ENIS: reservedENIs
SUBNET_REFRESH_INTERVAL: subnetRefreshInterval
VM_MEMORY_OVERHEAD_PERCENT: vmMemoryOverheadPercent
{{- end -}}

{{- define "feature-gates" -}}
{{- $gates := list -}}
{{- range $gate, $on := .Values.settings.featureGates -}}
{{- $gates = append $gates (printf "%s=%v" (title $gate) $on) -}}
{{- end -}}
{{- join "," $gates -}}
{{- end -}}

{{- define "environment" -}}
- {name: KUBERNETES_MIN_VERSION, value: 1.19.0-0}
- {name: KARPENTER_SERVICE, value: {{ include "fullname" . | quote }}}
- {name: METRICS_PORT, value: {{ .Values.controller.metrics.port | quote }}}
- {name: HEALTH_PROBE_PORT, value: {{ .Values.controller.healthProbe.port | quote }}}
- {name: CLUSTER_NAME, value: {{ tpl (required "settings.clusterName must name the cluster" .Values.settings.clusterName) . | quote }}}
- {name: FEATURE_GATES, value: {{ include "feature-gates" . | quote }}}
- name: SYSTEM_NAMESPACE
  valueFrom: {fieldRef: {fieldPath: metadata.namespace}}
- name: CPU_REQUESTS
  valueFrom: {resourceFieldRef: {containerName: {{ .Values.controller.containerName }}, resource: requests.cpu, divisor: 1m}}
- name: MEMORY_LIMIT
  valueFrom: {resourceFieldRef: {containerName: {{ .Values.controller.containerName }}, resource: limits.memory, divisor: "0"}}
{{- with .Values.logLevel }}
- {name: LOG_LEVEL, value: {{ . | quote }}}
{{- end }}
{{- with .Values.logOutputPaths }}
- {name: LOG_OUTPUT_PATHS, value: {{ join "," . | quote }}}
{{- end }}
{{- with .Values.logErrorOutputPaths }}
- {name: LOG_ERROR_OUTPUT_PATHS, value: {{ join "," . | quote }}}
{{- end }}
{{- range $variable, $setting := include "variables" . | fromYaml }}
{{- with index $.Values.settings $setting }}
- {name: {{ $variable }}, value: {{ tpl (toString .) $ | quote }}}
{{- end }}
{{- end }}
{{- with .Values.controller.env }}
{{ toYaml . }}
{{- end }}
{{- end -}}
