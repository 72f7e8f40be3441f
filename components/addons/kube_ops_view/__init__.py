"""kube-ops-view: a page that shows all nodes and pods, and who may see it."""
