{{/* The handler's variables, from the values that upstream takes them from. */}}

{{/* Always there, whatever the value. */}}
{{- define "variables" -}}
CORDON_ONLY: cordonOnly
DELETE_LOCAL_DATA: deleteLocalData
DRY_RUN: dryRun
EMIT_KUBERNETES_EVENTS: emitKubernetesEvents
ENABLE_OUT_OF_SERVICE_TAINT: enableOutOfServiceTaint
ENABLE_PROMETHEUS_SERVER: enablePrometheusServer
EXCLUDE_FROM_LOAD_BALANCERS: excludeFromLoadBalancers
IGNORE_DAEMON_SETS: ignoreDaemonSets
JSON_LOGGING: jsonLogging
LOG_FORMAT_VERSION: logFormatVersion
LOG_LEVEL: logLevel
NODE_TERMINATION_GRACE_PERIOD: nodeTerminationGracePeriod
POD_TERMINATION_GRACE_PERIOD: podTerminationGracePeriod
PROMETHEUS_SERVER_PORT: prometheusServerPort
TAINT_NODE: taintNode
{{- if .Values.enableSqsTerminationDraining }}
CHECK_ASG_TAG_BEFORE_DRAINING: checkASGTagBeforeDraining
CHECK_TAG_BEFORE_DRAINING: checkTagBeforeDraining
COMPLETE_LIFECYCLE_ACTION_DELAY_SECONDS: completeLifecycleActionDelaySeconds
DELETE_SQS_MSG_IF_NODE_NOT_FOUND: deleteSqsMsgIfNodeNotFound
ENABLE_SQS_TERMINATION_DRAINING: enableSqsTerminationDraining
HEARTBEAT_INTERVAL: heartbeatInterval
HEARTBEAT_UNTIL: heartbeatUntil
MANAGED_ASG_TAG: managedAsgTag
MANAGED_TAG: managedTag
QUEUE_URL: queueURL
SQS_MSG_VISIBILITY_TIMEOUT_SEC: sqsMsgVisibilityTimeoutSec
USE_PROVIDER_ID: useProviderId
WORKERS: workers
{{- else }}
ENABLE_ASG_LIFECYCLE_DRAINING: enableASGLifecycleDraining
ENABLE_PROBES_SERVER: enableProbesServer
ENABLE_REBALANCE_DRAINING: enableRebalanceDraining
ENABLE_REBALANCE_MONITORING: enableRebalanceMonitoring
ENABLE_SCHEDULED_EVENT_DRAINING: enableScheduledEventDraining
ENABLE_SPOT_INTERRUPTION_DRAINING: enableSpotInterruptionDraining
ENABLE_SQS_TERMINATION_DRAINING: enableSqsTerminationDraining
METADATA_TRIES: metadataTries
UPTIME_FROM_FILE: procUptimeFile
{{- end }}
{{- end -}}

{{/* There where the value is. */}}
{{- define "optional-variables" -}}
KUBERNETES_EVENTS_EXTRA_ANNOTATIONS: kubernetesEventsExtraAnnotations
WEBHOOK_HEADERS: webhookHeaders
WEBHOOK_PROXY: webhookProxy
WEBHOOK_TEMPLATE: webhookTemplate
WEBHOOK_URL: webhookURL
{{- if .Values.enableSqsTerminationDraining }}
AWS_ACCESS_KEY_ID: awsAccessKeyID
AWS_ENDPOINT: awsEndpoint
AWS_REGION: awsRegion
AWS_SECRET_ACCESS_KEY: awsSecretAccessKey
{{- else }}
INSTANCE_METADATA_URL: instanceMetadataURL
{{- end }}
{{- end -}}

{{- define "environment" -}}
- {name: NODE_NAME, valueFrom: {fieldRef: {fieldPath: spec.nodeName}}}
- {name: POD_NAME, valueFrom: {fieldRef: {fieldPath: metadata.name}}}
- {name: NAMESPACE, valueFrom: {fieldRef: {fieldPath: metadata.namespace}}}
- {name: PROBES_SERVER_PORT, value: {{ .Values.probes.httpGet.port | quote }}}
- {name: PROBES_SERVER_ENDPOINT, value: {{ .Values.probes.httpGet.path | quote }}}
{{- if .Values.enableSqsTerminationDraining }}
- {name: ENABLE_PROBES_SERVER, value: "true"}
{{- end }}
{{- range $variable, $key := include "variables" . | fromYaml }}
- {name: {{ $variable }}, value: {{ index $.Values $key | quote }}}
{{- end }}
{{- range $variable, $key := include "optional-variables" . | fromYaml }}
{{- with index $.Values $key }}
- {name: {{ $variable }}, value: {{ . | quote }}}
{{- end }}
{{- end }}
{{- with .Values.extraEnv }}
{{ toYaml . }}
{{- end }}
{{- end -}}
