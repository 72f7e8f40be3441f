// Renders a chart folder with the Helm that the Kubernetes provider embeds, as its Release does.
//
// Usage: render CHART RELEASE NAMESPACE <values.yaml
// Writes a JSON object: each template's path and what it renders to.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"

	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"
)

func main() {
	if err := render(os.Args[1:], os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func render(arguments []string, in io.Reader, out io.Writer) error {
	if len(arguments) != 3 {
		return fmt.Errorf("usage: render CHART RELEASE NAMESPACE <values.yaml")
	}
	chart, err := loader.Load(arguments[0])
	if err != nil {
		return err
	}
	text, err := io.ReadAll(in)
	if err != nil {
		return err
	}
	given, err := chartutil.ReadValues(text)
	if err != nil {
		return err
	}
	release := chartutil.ReleaseOptions{Name: arguments[1], Namespace: arguments[2], Revision: 1, IsInstall: true}
	// Checks the values against the chart's schema, if it has one.
	values, err := chartutil.ToRenderValues(chart, given, release, nil)
	if err != nil {
		return err
	}
	files, err := engine.Render(chart, values)
	if err != nil {
		return err
	}
	return json.NewEncoder(out).Encode(files)
}
