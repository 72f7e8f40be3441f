"""metrics-server: what pods and nodes use, for `kubectl top` and the HorizontalPodAutoscaler."""
