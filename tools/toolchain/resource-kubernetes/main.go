// Command pulumi-resource-kubernetes is Pulumi's Kubernetes provider, whose module publishes no buildable main package:
// the files that it embeds are generated.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/pulumi/pulumi-kubernetes/provider/v4/pkg/provider"
)

// version is set by the linker: the release of the Python package that the provider belongs to.
var version string

func main() {
	executable, err := os.Executable()
	if err != nil {
		fail(err)
	}
	// The schema is what a read without earlier inputs (an import) is filled in by.
	schema, err := os.ReadFile(filepath.Join(filepath.Dir(executable), "pulumi-resource-kubernetes-schema.json"))
	if err != nil {
		fail(err)
	}
	provider.Serve("kubernetes", version, schema, nil)
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "pulumi-resource-kubernetes:", err)
	os.Exit(1)
}
