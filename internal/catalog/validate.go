package catalog

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// faults collects what is wrong with an entry.
type faults []fault

func (f *faults) add(path, format string, args ...any) {
	*f = append(*f, fault{path, fmt.Sprintf(format, args...)})
}

// validate lists what a type cannot say about an entry.
func (e Entry) validate() []fault {
	var f faults
	if e.Name == "" {
		f.add("name", "name is missing")
	}
	if src, err := url.Parse(e.Source); e.Source != "" && (err != nil || src.Scheme != "https" || src.Host == "") {
		f.add("source", "source %q is not an https address", e.Source)
	}
	e.validateKindOfEntry(&f)
	if e.Operator != nil {
		e.Operator.validate(&f)
	}
	if e.Provider != nil {
		Kind(*e.Provider).validate(&f, "provider")
	}
	if e.Chart != nil {
		e.Chart.validate(&f)
	}
	e.When.validate(&f, "when")
	validateGroups(&f, "groups", e.Groups)
	validateGroups(&f, "maybe", e.Maybe)
	validateKinds(&f, "provides", e.Provides)
	for i, o := range e.Once {
		o.When.validate(&f, fmt.Sprintf("once[%d].when", i))
		validateGroups(&f, fmt.Sprintf("once[%d].groups", i), o.Groups)
		if e.Operator == nil {
			f.add("once", "once needs an operator, which is what looks")
		}
	}
	for i, p := range e.Parts {
		p.validate(&f, fmt.Sprintf("parts[%d]", i))
	}
	for i, d := range e.Dynamic {
		d.validate(&f, fmt.Sprintf("dynamic[%d]", i))
	}
	return f
}

// validateKindOfEntry checks what goes with a provider and what with a chart.
func (e Entry) validateKindOfEntry(f *faults) {
	switch {
	case (e.Provider == nil) == (e.Chart == nil):
		f.add("", "want either provider or chart")
	case e.Created != ByChart && e.Created != ByOperator:
		f.add("created", "created is %q, want %q or %q", e.Created, ByChart, ByOperator)
	case e.Provider != nil && e.Created != ByOperator:
		f.add("created", "created is %q: the kinds of a provider come from its operator", e.Created)
	case e.Created == ByOperator && e.Operator == nil && !e.adds:
		f.add("", "operator is missing, although it creates the kinds")
	case e.Provider != nil && e.bringsNothing():
		f.add("provides", "provides is empty: a provider that brings nothing is none")
	case e.Chart != nil && e.Created == ByOperator && len(e.Provides) == 0:
		f.add("provides", "provides is empty: list a kind whose coming shows that the operator has done its work")
	case e.Chart != nil && len(e.Dynamic) > 0:
		f.add("dynamic", "dynamic is for providers: a chart names no kinds")
	}
}

func (e Entry) bringsNothing() bool {
	return len(e.Kinds())+len(e.AllGroups())+len(e.Dynamic) == 0 && !e.Unknown
}

func (p Part) validate(f *faults, path string) {
	if p.When == nil {
		f.add(path, "%s has no when; what comes without a condition belongs to the entry", path)
	}
	if len(p.Provides)+len(p.Groups) == 0 {
		f.add(path, "%s brings nothing", path)
	}
	validateCRDs(f, path+".crds", p.CRDs)
	p.When.validate(f, path+".when")
	validateGroups(f, path+".groups", p.Groups)
	validateKinds(f, path+".provides", p.Provides)
}

func (c Chart) validate(f *faults) {
	if len(c.Names) == 0 || slices.Contains(c.Names, "") {
		f.add("chart.names", "chart.names is empty, or has an empty name")
	}
	for i, r := range c.Repositories {
		if r == "" || strings.Contains(r, "://") || strings.Trim(r, "/") != r {
			f.add(fmt.Sprintf("chart.repositories[%d]", i), "repository %q is not a host and path without a scheme", r)
		}
	}
	validateCRDs(f, "chart.crds", c.CRDs)
}

func validateCRDs(f *faults, path string, where CRDs) {
	if where != "" && where != InDirectory && where != InTemplates {
		f.add(path, "crds is %q, want %q or %q", where, InDirectory, InTemplates)
	}
}

func (o Operator) validate(f *faults) {
	if !slices.Contains([]string{"Deployment", "StatefulSet", "DaemonSet"}, o.Kind) {
		f.add("operator.kind", "operator.kind is %q, want a workload", o.Kind)
	}
	if o.Namespace == "" || o.Name == "" {
		f.add("operator", "operator lacks its namespace or name")
	}
}

func (w *When) validate(f *faults, path string) {
	switch {
	case w == nil:
	case len(w.Any)+len(w.All)+len(w.None)+len(w.Given) == 0 && w.Contains == nil:
		f.add(path, "%s has no condition", path)
	case w.Contains != nil && (w.Contains.Field == "" || w.Contains.Item == ""):
		f.add(path+".contains", "contains lacks its field or item")
	}
}

func (d Dynamic) validate(f *faults, path string) {
	switch {
	case d.KindFrom == "":
		f.add(path, "%s has no kindFrom", path)
	case d.Group == "" && d.GroupFrom == "":
		f.add(path, "%s has neither group nor groupFrom", path)
	case d.Group != "" && !validGroup(d.Group):
		f.add(path+".group", "group %q is not a group", d.Group)
	}
}

func validateGroups(f *faults, path string, groups []string) {
	for i, g := range groups {
		if at := fmt.Sprintf("%s[%d]", path, i); !validPattern(g) {
			f.add(at, "%s is %q; write it like example.io, or *.example.io for all groups beneath it", at, g)
		} else if slices.Contains(groups[:i], g) {
			f.add(at, "%s is there twice", g)
		}
	}
}

func validateKinds(f *faults, path string, kinds []Kind) {
	seen := map[string]bool{}
	for i, k := range kinds {
		at := fmt.Sprintf("%s[%d]", path, i)
		k.validate(f, at)
		name, plural := k.GroupKind().String(), k.CRDName()
		if seen[name] || plural != "" && seen[plural] {
			f.add(at, "%s brings %s twice", path, k.GroupKind())
		}
		seen[name] = true
		if plural != "" {
			seen[plural] = true
		}
	}
}

func (k Kind) validate(f *faults, path string) {
	switch {
	case !validGroup(k.Group):
		f.add(path+".group", "%s: group %q is not a group", path, k.Group)
	case !validKind(k.Kind):
		f.add(path+".kind", "%s: kind %q is not a kind", path, k.Kind)
	case k.Short(): // nothing else is claimed
	case k.Plural == "" || k.Plural != strings.ToLower(k.Plural):
		f.add(path+".plural", "%s: plural %q is not in lower case", path, k.Plural)
	case len(k.Versions) == 0 || slices.Contains(k.Versions, ""):
		f.add(path+".versions", "%s: versions is empty", path)
	case k.Scope != Namespaced && k.Scope != Cluster:
		f.add(path+".scope", "%s: scope is %q, want %s or %s", path, k.Scope, Namespaced, Cluster)
	}
	for kind, status := range k.Conditions {
		if status != "True" && status != "False" {
			f.add(path+".conditions."+kind, "condition %s is %q, want True or False, in quotes", kind, status)
		}
	}
}
