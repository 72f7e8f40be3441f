"""metrics-server: usage of pods and nodes, for `kubectl top` and the HorizontalPodAutoscaler."""
