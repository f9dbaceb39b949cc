package manifests

import (
	"maps"
	"slices"

	"github.com/fluxcd/pkg/envsubst/parse"
)

// undefinedIn lists the variables that a text needs and that are not defined,
// sorted. The library stops at the first one; this asks its parser for all. A
// text that does not parse has none: substitution reports it.
func undefinedIn(text string, defined map[string]string) []string {
	tree, err := parse.Parse(text)
	if err != nil {
		return nil
	}
	missing := map[string]bool{}
	collect(tree.Root, defined, missing)
	return slices.Sorted(maps.Keys(missing))
}

func collect(n parse.Node, defined map[string]string, missing map[string]bool) {
	switch node := n.(type) {
	case *parse.ListNode:
		for _, inner := range node.Nodes {
			collect(inner, defined, missing)
		}
	case *parse.FuncNode:
		// Arguments are evaluated before it is known whether they are needed:
		// ${a:=${b}} needs b although a is defined.
		for _, argument := range node.Args {
			collect(argument, defined, missing)
		}
		if _, ok := defined[node.Param]; !ok && !givesDefault(node.Name) {
			missing[node.Param] = true
		}
	}
}

// givesDefault lists the operators that stand in for a variable that is not set.
func givesDefault(operator string) bool {
	switch operator {
	case "-", "+", "=", "?", ":-", ":+", ":=", ":?":
		return true
	}
	return false
}
