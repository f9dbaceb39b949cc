package tiers

import (
	"fmt"
	"strconv"
	"strings"
)

// escape spells a field name as a JSON pointer does.
func escape(field string) string {
	return strings.ReplaceAll(strings.ReplaceAll(field, "~", "~0"), "/", "~1")
}

// pointerOf joins the steps of a location in the file.
func pointerOf(steps []string) string {
	var b strings.Builder
	for _, s := range steps {
		b.WriteString("/" + escape(s))
	}
	return b.String()
}

// pathOf spells a location for people: tiers[1].probes[0].timeout.
func pathOf(steps []string) string {
	var b strings.Builder
	for i, s := range steps {
		if n, err := strconv.Atoi(s); err == nil {
			fmt.Fprintf(&b, "[%d]", n)
			continue
		}
		if i > 0 {
			b.WriteByte('.')
		}
		b.WriteString(s)
	}
	return b.String()
}

// get walks a document's values; it returns nil where there is nothing.
func get(v any, steps ...string) any {
	for _, s := range steps {
		switch at := v.(type) {
		case map[string]any:
			v = at[s]
		case []any:
			i, err := strconv.Atoi(s)
			if err != nil || i < 0 || i >= len(at) {
				return nil
			}
			v = at[i]
		default:
			return nil
		}
	}
	return v
}
