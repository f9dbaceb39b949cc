package rehearsal

import (
	"fmt"
	"strings"

	"github.com/standup-sh/standup/internal/manifests"
)

// refusal says that the API server refuses an object whatever is in the cluster:
// the dry-run of its stage fails until git changes.
type refusal struct {
	object manifests.Object
	faults []string
}

func (r *refusal) Error() string {
	return fmt.Sprintf("the API server refuses %s: %s", named(r.object), strings.Join(r.faults, "; "))
}

// define makes the kinds of the tree known, and notes which definitions are
// refused themselves.
func (s *stage) define() {
	for _, n := range s.w.order {
		for _, o := range n.objects() {
			if _, ok := o.Defines(); !ok || o.LeftAlone() || n.guesses(o) {
				continue
			}
			if faults := s.schemas.Define(o.Unstructured); len(faults) > 0 {
				s.refused[o.Unstructured] = faults
			}
		}
	}
}

// refusals lists the objects of a set that are refused for their form.
func (s *stage) refusals(n *node) ([]*refusal, error) {
	var found []*refusal
	for _, o := range n.objects() {
		if o.LeftAlone() || o.GetKind() == "" || n.guesses(o) || s.w.rewriter != nil && hasToken(o.Object) {
			continue
		}
		faults, err := s.schemas.Check(o.Unstructured)
		if err != nil {
			return nil, err
		}
		if faults = append(faults, s.refused[o.Unstructured]...); len(faults) > 0 {
			found = append(found, &refusal{o, faults})
		}
	}
	return found, nil
}

// guesses reports whether an object has values that nobody knows here: it is
// encrypted, or was substituted with what is made outside of git.
func (n *node) guesses(o manifests.Object) bool {
	return o.Encrypted || o.Substituted && (n.guessed || n.undefined != nil || n.fault != nil)
}

// hasToken finds a variable that was not substituted, at any depth.
func hasToken(v any) bool {
	switch v := v.(type) {
	case string:
		return strings.Contains(v, "${")
	case []any:
		for _, inner := range v {
			if hasToken(inner) {
				return true
			}
		}
	case map[string]any:
		for _, inner := range v {
			if hasToken(inner) {
				return true
			}
		}
	}
	return false
}
