package differential

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"
)

// what stopped a Kustomization, by what its controller says.
type stop string

const (
	byAbsence    stop = "never created"
	bySuspension stop = "suspended"
	byDependency stop = "a dependency is not Ready"
	byNoSuch     stop = "a dependency does not exist"
	byKind       stop = "a kind is not served"
	byNamespace  stop = "a namespace does not exist"
	byAdmission  stop = "refused at admission"
	byForm       stop = "refused for its form"
	byBuild      stop = "the build fails"
	bySource     stop = "the source has nothing"
	byHealth     stop = "something is not healthy"
	byExpression stop = "an expression is not true, or not valid"
	bySkipped    stop = "what is skipped is waited for"
	byNothing    stop = "no word yet"
	byElse       stop = "something else"
)

var (
	noMatch     = regexp.MustCompile(`no matches for kind "([^"]+)"`)
	noNamespace = regexp.MustCompile(`namespaces "[^"]*" not found|namespace not specified|namespace: Required`)
	malformed   = regexp.MustCompile(`dry-run failed \(Invalid\)|failed to create typed patch object`)
	refused     = regexp.MustCompile(`error looking up service account|admission webhook|forbidden`)
)

// why reads the last failure. The kind is that which is not served.
func (h *history) why() (s stop, kind string) {
	switch {
	case h.suspended:
		return bySuspension, ""
	case len(h.failures) == 0:
		return byNothing, ""
	}
	f := h.last()
	if strings.Contains(f.message, "CEL expression") || strings.Contains(f.message, "readyExpr eval") {
		return byExpression, ""
	}
	switch f.reason {
	case "DependencyNotReady":
		if strings.Contains(f.message, "not found") {
			return byNoSuch, ""
		}
		return byDependency, ""
	case "BuildFailed":
		return byBuild, ""
	case "ArtifactFailed":
		if strings.Contains(f.message, "path not found") {
			return byBuild, ""
		}
		return bySource, ""
	case "HealthCheckFailed":
		return byHealth, ""
	}
	switch m := noMatch.FindStringSubmatch(f.message); {
	case m != nil:
		return byKind, m[1]
	case noNamespace.MatchString(f.message):
		return byNamespace, ""
	case malformed.MatchString(f.message):
		return byForm, ""
	case refused.MatchString(f.message):
		return byAdmission, ""
	case skippedOne.MatchString(f.message):
		return bySkipped, ""
	}
	return byElse, ""
}

// skippedOne is how an apply ends that waits for what it has skipped; a health
// check has another reason.
var skippedOne = regexp.MustCompile(`^timeout waiting for: \[.*status: 'NotFound'`)

// fits are the stops that a class of fault shows as.
var fits = map[string][]stop{
	"same-set":    {byKind},
	"ancestor":    {byKind},
	"no-creator":  {byKind, byHealth},
	"gate-order":  {byKind, byNamespace, byDependency, byHealth, byBuild, byAbsence, bySkipped},
	"expression":  {byExpression},
	"dep-cycle":   {byDependency},
	"dep-missing": {byNoSuch},
	"namespace":   {byNamespace},
	"admission":   {byAdmission},
	"invalid":     {byForm},
	"build":       {byBuild},
	"substitute":  {byBuild},
	"decryption":  {byBuild, byElse},
	"source":      {bySource},
	"suspended":   {bySuspension},
	"no-retries":  {byHealth},
}

// ofBlocked are the stops of a Kustomization whose cause is elsewhere.
var ofBlocked = []stop{byAbsence, byDependency, byNoSuch, byKind, byNamespace, byBuild, bySource, byHealth}

// compare lists where the model and the cluster differ, as sentences.
func compare(r *result, seen map[string]*history) []string {
	var diffs []string
	say := func(format string, args ...any) { diffs = append(diffs, fmt.Sprintf(format, args...)) }
	for _, k := range r.Kustomizations {
		h, there := seen[k.key()]
		if !there {
			h = &history{}
		}
		why, kind := h.why()
		if !there {
			why = byAbsence
		}
		verdict := strings.TrimSpace(k.Verdict + " " + k.Class)
		switch c := k.claim(); {
		case c == claimsReady && !h.ready:
			say("%s: the model says %s; it is not Ready: %s", k.key(), verdict, h.words(why))
		case c == claimsNever && h.ready:
			say("%s: the model says %s; it is Ready", k.key(), verdict)
		case c == claimsReady && k.Verdict == "OK" && h.stumbled() != "":
			say("%s: the model says OK; a pass of it failed: %s", k.key(), h.stumbled())
		case c == claimsNever && !r.explains(k, why, kind) && !r.keptBack(why, h, seen):
			say("%s: the model says %s; the controller says: %s", k.key(), verdict, h.words(why))
		}
	}
	for _, key := range slices.Sorted(maps.Keys(seen)) {
		if !r.has(key) {
			say("%s: the model does not know it; it exists", key)
		}
	}
	return append(diffs, disorder(r, seen)...)
}

func (h *history) words(s stop) string {
	f := h.last()
	if f.reason == "" {
		return string(s)
	}
	return fmt.Sprintf("%s (%s: %s)", s, f.reason, f.message)
}

// stumbled is the first failure that costs a retryInterval. To wait for a
// dependency is none, nor is a health check that this suite's short timeout ends.
func (h *history) stumbled() string {
	for _, f := range h.failures {
		switch f.reason {
		case "ReconciliationFailed", "BuildFailed":
			return f.reason + ": " + f.message
		}
	}
	return ""
}

// explains reports whether a stop is one that the model has named.
func (r *result) explains(k modelled, why stop, kind string) bool {
	if k.BlockedBy != nil {
		return slices.Contains(ofBlocked, why)
	}
	if why == byNothing {
		return false
	}
	own := 0
	for _, f := range r.Findings {
		if f.Kustomization != k.key() {
			continue
		}
		own++
		if f.explains(why, kind) {
			return true
		}
	}
	return own == 0 && slices.Contains(fits[k.Class], why)
}

var (
	dependency = regexp.MustCompile(`dependency '([^']+)'`)
	unhealthy  = regexp.MustCompile(`Kustomization/([^ ]+) status`)
)

// keptBack reports whether a Kustomization with a cause of its own does not show
// it, since it waits for another that does not come either.
func (r *result) keptBack(why stop, h *history, seen map[string]*history) bool {
	var names []string
	message := h.last().message
	if m := dependency.FindStringSubmatch(message); m != nil && r.has(m[1]) {
		names = append(names, m[1])
	}
	for _, m := range unhealthy.FindAllStringSubmatch(message, -1) {
		names = append(names, m[1])
	}
	if why == byAbsence {
		// Its parent is one that has not come as far as to apply it.
		for key, other := range seen {
			if !other.ready {
				names = append(names, key)
			}
		}
	}
	return slices.ContainsFunc(names, func(name string) bool { return !slices.Contains(r.ready(), name) })
}

// has reports whether the model knows a Kustomization.
func (r *result) has(key string) bool {
	return slices.ContainsFunc(r.Kustomizations, func(k modelled) bool { return k.key() == key })
}

func (f finding) explains(why stop, kind string) bool {
	if why == byKind {
		for _, m := range f.Missing {
			if m.Kind == kind {
				return true
			}
		}
		return false
	}
	if len(f.Missing) == 0 && slices.Contains([]string{"same-set", "ancestor"}, f.Class) {
		return why == byNamespace || why == byBuild // what is missing is an object
	}
	// What is wrong with a release or a workload shows as bad health.
	beneath := f.Object != nil && f.Object.Kind != "Kustomization" && why == byHealth
	return beneath || slices.Contains(fits[f.Class], why)
}

// disorder checks the order of those that became Ready: after what they depend
// on, and a parent that waits after its children. It is the order that the
// model's times have to have as well.
func disorder(r *result, seen map[string]*history) []string {
	after := map[string]time.Duration{}
	for _, k := range r.Kustomizations {
		if k.ReadyAfter.Flux != nil {
			if d, err := time.ParseDuration(*k.ReadyAfter.Flux); err == nil {
				after[k.key()] = d
			}
		}
	}
	var diffs []string
	ordered := func(first, second string) {
		a, b := seen[first], seen[second]
		if a == nil || b == nil || a.first == 0 || b.first == 0 {
			return
		}
		if a.first > b.first {
			diffs = append(diffs, fmt.Sprintf("%s turned Ready before %s", second, first))
		}
		x, xOK := after[first]
		y, yOK := after[second]
		if xOK && yOK && x > y {
			diffs = append(diffs, fmt.Sprintf("the model has %s Ready after %s, and %s, which waits for it, after %s", first, x, second, y))
		}
	}
	for _, key := range slices.Sorted(maps.Keys(seen)) {
		h := seen[key]
		for _, d := range h.dependsOn {
			ordered(d, key)
		}
		if parent := seen[h.parent]; parent != nil && parent.wait && h.parent != key {
			ordered(key, h.parent)
		}
	}
	return diffs
}
