package kubetest

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// Apply is one server-side apply that was asked for, refused or not.
type Apply struct {
	Path, Manager string
	Force, DryRun bool
	Object        map[string]any
}

// Applies lists the server-side applies so far.
func (s *Server) Applies() []Apply {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.applies)
}

// SetConflict makes the server say that a field which is applied belongs to the
// manager, unless the apply forces; with an empty name it says so no more.
func (s *Server) SetConflict(manager string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.conflict = manager
}

// isApply recognises a server-side apply.
func isApply(r *http.Request) bool {
	return r.Method == http.MethodPatch && strings.HasPrefix(r.Header.Get("Content-Type"), "application/apply-patch")
}

// apply creates an object, or merges into it. Of who owns which field only the
// names of the managers are kept. It returns what was stored. The lock is held.
func (s *Server) apply(w http.ResponseWriter, r *http.Request, a address, body object) (stored object) {
	query := r.URL.Query()
	did := Apply{
		Path: r.URL.Path, Manager: query.Get("fieldManager"), Force: query.Get("force") == "true", DryRun: query.Has("dryRun"),
		Object: merge(nil, body),
	}
	s.applies = append(s.applies, did)
	switch {
	case did.Manager == "":
		Fail(w, 400, "BadRequest", "fieldManager is required for apply patch")
		return nil
	case s.conflict != "" && !did.Force:
		failAbout(w, 409, "Conflict", fmt.Sprintf("Apply failed with 1 conflict: conflict with %q: .spec", s.conflict), &a)
		return nil
	}
	old := s.objects[a.key()]
	fresh := merge(merge(nil, old), body) // a watcher may still read what is stored
	manage(fresh, did.Manager, a.gv)
	code := 200
	if old == nil {
		code = 201
	}
	if !did.DryRun {
		s.change(a, fresh)
		stored = merge(nil, fresh)
	}
	Reply(w, code, fresh)
	return stored
}

// manage notes that the manager has applied the object.
func manage(obj object, manager, apiVersion string) {
	meta := metaOf(obj)
	entries, _ := meta["managedFields"].([]any)
	entries = slices.DeleteFunc(slices.Clone(entries), func(e any) bool {
		entry, _ := e.(object)
		return entry["manager"] == manager && entry["operation"] == "Apply"
	})
	meta["managedFields"] = append(entries, object{
		"manager": manager, "operation": "Apply", "apiVersion": apiVersion, "fieldsType": "FieldsV1", "fieldsV1": object{},
	})
}

// change lets the controller see what was written, and stores it. The lock is
// held.
func (s *Server) change(a address, obj object) {
	s.count(a, obj)
	if s.controller != nil {
		s.controller(obj)
	}
	s.store(a, obj)
}
