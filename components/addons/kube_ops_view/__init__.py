"""kube-ops-view: a page that shows all nodes and pods, and who may see it."""

from .component import CHART, NLB, PORT, KubeOpsView, KubeOpsViewArgs, KubeOpsViewConfig

__all__ = ["CHART", "NLB", "PORT", "KubeOpsView", "KubeOpsViewArgs", "KubeOpsViewConfig"]
