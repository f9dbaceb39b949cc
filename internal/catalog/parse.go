package catalog

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// parse reads one entry strictly: an unknown field is an error, because a
// misspelt one would silently teach nothing.
func parse(raw []byte) (Entry, error) {
	dec := yaml.NewDecoder(bytes.NewReader(raw))
	dec.KnownFields(true)
	var e Entry
	if err := dec.Decode(&e); err != nil {
		return Entry{}, err
	}
	if err := dec.Decode(&struct{}{}); !errors.Is(err, io.EOF) {
		return Entry{}, errors.New("more than one document in the file")
	}
	return e, nil
}

func (e Entry) validate() error {
	src, err := url.Parse(e.Source)
	switch {
	case e.Name == "":
		return errors.New("name is missing")
	case err != nil || src.Scheme != "https" || src.Host == "":
		return fmt.Errorf("source %q is not an https address", e.Source)
	case (e.Provider == nil) == (e.Chart == nil):
		return errors.New("want either provider or chart")
	case e.Created != ByChart && e.Created != ByOperator:
		return fmt.Errorf("created is %q, want %q or %q", e.Created, ByChart, ByOperator)
	case e.Provider != nil && e.Created != ByOperator:
		return fmt.Errorf("created is %q: the kinds of a provider come from its operator", e.Created)
	case e.Created == ByOperator && e.Operator == nil:
		return errors.New("operator is missing, although it creates the kinds")
	case e.Provider != nil && len(e.Provides) == 0:
		return errors.New("provides is empty: a provider that brings nothing is none")
	case e.Chart != nil && (len(e.Chart.Names) == 0 || slices.Contains(e.Chart.Names, "")):
		return errors.New("chart.names is empty, or has an empty name")
	}
	if e.Operator != nil {
		if err := e.Operator.validate(); err != nil {
			return err
		}
	}
	if e.Provider != nil {
		if err := Kind(*e.Provider).validate(); err != nil {
			return fmt.Errorf("provider: %w", err)
		}
	}
	return validateKinds(e.Provides)
}

func validateKinds(kinds []Kind) error {
	seen := map[GroupKind]bool{}
	plurals := map[string]bool{}
	for _, k := range kinds {
		if err := k.validate(); err != nil {
			return fmt.Errorf("provides %s: %w", k.GroupKind(), err)
		}
		if seen[k.GroupKind()] || plurals[k.CRDName()] {
			return fmt.Errorf("provides %s twice", k.GroupKind())
		}
		seen[k.GroupKind()], plurals[k.CRDName()] = true, true
	}
	return nil
}

func (o Operator) validate() error {
	if !slices.Contains([]string{"Deployment", "StatefulSet", "DaemonSet"}, o.Kind) {
		return fmt.Errorf("operator.kind is %q, want a workload", o.Kind)
	}
	if o.Namespace == "" || o.Name == "" {
		return errors.New("operator lacks its namespace or name")
	}
	return nil
}

func (k Kind) validate() error {
	switch {
	case k.Group == "" || k.Kind == "":
		return errors.New("group or kind is missing")
	case k.Plural == "" || k.Plural != strings.ToLower(k.Plural):
		return fmt.Errorf("plural %q is not in lower case", k.Plural)
	case len(k.Versions) == 0:
		return errors.New("versions is empty")
	case k.Scope != Namespaced && k.Scope != Cluster:
		return fmt.Errorf("scope is %q, want %s or %s", k.Scope, Namespaced, Cluster)
	}
	for kind, status := range k.Conditions {
		if status != "True" && status != "False" {
			return fmt.Errorf("condition %s is %q, want True or False, in quotes", kind, status)
		}
	}
	return nil
}
