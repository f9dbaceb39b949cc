package kubetest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/labels"
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

func (s *Server) list(w http.ResponseWriter, r *http.Request, a address) {
	selector, err := labels.Parse(r.URL.Query().Get("labelSelector"))
	if err != nil {
		Fail(w, 400, "BadRequest", err.Error())
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	items := slices.DeleteFunc(s.matching(a), func(obj object) bool {
		have := labels.Set{}
		of, _ := metaOf(obj)["labels"].(object)
		for key, value := range of {
			have[key], _ = value.(string)
		}
		return !selector.Matches(have)
	})
	list := object{
		"kind": a.kind.Kind + "List", "apiVersion": a.gv,
		"metadata": object{"resourceVersion": strconv.Itoa(s.version)}, "items": items,
	}
	if onlyMetadata(r) {
		list["kind"], list["apiVersion"] = "PartialObjectMetadataList", metaVersion
		for i := range items {
			items[i] = partial(r, items[i])
		}
	}
	Reply(w, 200, list)
}

const metaVersion = "meta.k8s.io/v1"

// onlyMetadata reports whether a client asks for the metadata of what it reads.
func onlyMetadata(r *http.Request) bool {
	return strings.Contains(r.Header.Get("Accept"), "as=PartialObjectMetadata")
}

// partial is as much of an object as the client asked for.
func partial(r *http.Request, obj object) object {
	if !onlyMetadata(r) {
		return obj
	}
	return object{"kind": "PartialObjectMetadata", "apiVersion": metaVersion, "metadata": obj["metadata"]}
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
