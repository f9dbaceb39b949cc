package e2e

import (
	"fmt"
	"strings"
)

// unit is a Flux Kustomization with one ConfigMap, and what is special of it.
type unit struct {
	name  string
	deps  []string
	spec  string // more of spec, indented by two
	extra string // more objects of its set
}

// tree is a root set with one Kustomization a unit, each with a directory of
// its own.
func tree(units ...unit) string {
	var b strings.Builder
	for _, u := range units {
		fmt.Fprintf(&b, "-- cluster/%s.yaml --\n%s", u.name, u.kustomization())
		fmt.Fprintf(&b, "-- units/%s/set.yaml --\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: %s, namespace: default}\ndata: {of: %s}\n", u.name, u.name, u.name)
		if u.extra != "" {
			fmt.Fprintf(&b, "---\n%s\n", u.extra)
		}
	}
	return b.String()
}

func (u unit) kustomization() string {
	var b strings.Builder
	fmt.Fprintf(&b, "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: %s, namespace: flux-system}\nspec:\n", u.name)
	fmt.Fprintf(&b, "  path: ./units/%s\n  prune: true\n  sourceRef: {kind: GitRepository, name: flux-system}\n", u.name)
	spec := u.spec
	for key, value := range map[string]string{"interval:": "1h", "wait:": "true", "timeout:": "2m"} {
		if !strings.Contains(spec, "  "+key) {
			spec += fmt.Sprintf("  %s %s\n", key, value)
		}
	}
	b.WriteString(spec)
	if len(u.deps) > 0 {
		b.WriteString("  dependsOn:\n")
		for _, d := range u.deps {
			fmt.Fprintf(&b, "    - {name: %s}\n", d)
		}
	}
	return b.String()
}

// chain is n units, each depending on the one before, named t00, t01, …
func chain(n int) (units []unit, names []string) {
	for i := range n {
		u := unit{name: fmt.Sprintf("t%02d", i)}
		if i > 0 {
			u.deps = []string{names[i-1]}
		}
		units, names = append(units, u), append(names, u.name)
	}
	return units, names
}
