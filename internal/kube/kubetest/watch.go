package kubetest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

type watcher struct {
	prefix string
	events chan object
}

// CutWatches ends every open watch, as a restart does.
func (s *Server) CutWatches() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for w := range s.watchers {
		close(w.events)
		delete(s.watchers, w)
	}
}

// send tells the watchers. The lock is held.
func (s *Server) send(a address, event string, obj object) {
	for w := range s.watchers {
		if strings.HasPrefix(a.key(), w.prefix) {
			w.events <- object{"type": event, "object": obj}
		}
	}
}

func (s *Server) list(w http.ResponseWriter, a address, selector string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	items := slices.DeleteFunc(s.matching(a), func(obj object) bool {
		key, value, wanted := strings.Cut(selector, "=")
		labels, _ := metaOf(obj)["labels"].(object)
		return wanted && labels[key] != value
	})
	Reply(w, 200, object{
		"kind": a.kind.Kind + "List", "apiVersion": a.gv,
		"metadata": object{"resourceVersion": strconv.Itoa(s.version)}, "items": items,
	})
}

// watch streams. It knows no history: a watch from a version other than the
// newest is told that it has expired, so every cut ends in a new list.
func (s *Server) watch(w http.ResponseWriter, r *http.Request, a address) {
	query := r.URL.Query()
	mine := &watcher{prefix: a.prefix(), events: make(chan object, 4096)}
	s.mu.Lock()
	since, _ := strconv.Atoi(query.Get("resourceVersion")) // none is 0
	if query.Get("sendInitialEvents") == "true" {
		for _, obj := range s.matching(a) {
			mine.events <- object{"type": "ADDED", "object": obj}
		}
		mine.events <- object{"type": "BOOKMARK", "object": object{
			"kind": a.kind.Kind, "apiVersion": a.gv, "metadata": object{
				"resourceVersion": strconv.Itoa(s.version), "annotations": object{"k8s.io/initial-events-end": "true"},
			},
		}}
	} else if since != s.version {
		s.mu.Unlock()
		Fail(w, 410, "Expired", fmt.Sprintf("too old resource version: %d (%d)", since, s.version))
		return
	}
	s.watchers[mine] = struct{}{}
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.watchers, mine)
	}()
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(200)
	flush(w)
	for {
		select {
		case <-r.Context().Done():
			return
		case event, open := <-mine.events:
			if !open {
				return
			}
			_ = json.NewEncoder(w).Encode(event) // a client that is gone ends the request's context
			flush(w)
		}
	}
}

func flush(w http.ResponseWriter) {
	if f, ok := w.(http.Flusher); ok {
		f.Flush()
	}
}
