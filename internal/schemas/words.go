package schemas

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// texts puts field errors in words.
func texts(errs field.ErrorList) []string {
	var found []string
	for _, e := range errs {
		text, _, _ := strings.Cut(e.Error(), " (e.g. ") // and the regular expression
		found = append(found, text)
	}
	return found
}

// listed puts the errors of the value rules in words.
func listed(errs []error) []string {
	var found []string
	for _, err := range errs {
		path, what, ok := strings.Cut(strings.TrimPrefix(err.Error(), "."), " in body ")
		if !ok {
			path, what = "", err.Error()
		}
		found = append(found, strings.TrimPrefix(path+": "+what, ": "))
	}
	return unique(found)
}

// unique sorts texts, which come in the order of a map, and drops doubles.
func unique(found []string) []string {
	slices.SortFunc(found, cmp.Compare[string])
	return slices.Compact(found)
}

// plain turns the Go value in a parse error into what kind of value it is: the
// value itself may be a secret.
func plain(message string) string {
	message = strings.TrimPrefix(message, ".")
	return goValue.ReplaceAllStringFunc(message, func(v string) string {
		return kindOfValue(goValue.FindStringSubmatch(v)[1])
	})
}

// kindOfValue recognises a value by how Go prints it.
func kindOfValue(printed string) string {
	switch {
	case printed == "true" || printed == "false":
		return "a boolean"
	case strings.HasPrefix(printed, "map["):
		return "a map"
	case strings.HasPrefix(printed, "["):
		return "a list"
	case number.MatchString(printed):
		return "a number"
	}
	return "something else"
}

var (
	goValue = regexp.MustCompile(`(?s)&value\.valueUnstructured\{Value:(.*)\}`)
	number  = regexp.MustCompile(`^-?[0-9.]+(e[+-]?[0-9]+)?$`)
)
