package lab

import (
	"maps"
	"net/http"
	"strings"
)

// Request is what the fault proxy knows of a request: who, what, on which kind.
type Request struct {
	// Agent is the first word of the User-Agent header, up to its version.
	Agent string
	// Verb is the API server's: get, list, watch, create, update, patch, apply,
	// delete, deletecollection; with "dryrun-" before it for a dry run.
	Verb string
	// Resource is resource.group, with /subresource where there is one; for
	// what is not about a resource it is the path, such as /readyz.
	Resource string
}

// Requests counts the requests since the start, or since ResetRequests.
func (p *Proxy) Requests() map[Request]int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return maps.Clone(p.counts)
}

// ResetRequests starts counting anew.
func (p *Proxy) ResetRequests() {
	p.mu.Lock()
	defer p.mu.Unlock()
	clear(p.counts)
}

func (p *Proxy) count(r Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.counts[r]++
}

func parseRequest(r *http.Request) Request {
	agent, _, _ := strings.Cut(r.UserAgent(), " ")
	agent, _, _ = strings.Cut(agent, "/")
	out := Request{Agent: agent, Resource: r.URL.Path, Verb: strings.ToLower(r.Method)}
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	group := ""
	switch {
	case parts[0] == "api" && len(parts) > 2:
		parts = parts[2:]
	case parts[0] == "apis" && len(parts) > 3:
		group = "." + parts[1]
		parts = parts[3:]
	default:
		return out
	}
	// namespaces/NAME/RESOURCE is a resource in a namespace; namespaces/NAME and
	// its subresources are the namespace itself.
	if parts[0] == "namespaces" && len(parts) > 2 && parts[2] != "status" && parts[2] != "finalize" {
		parts = parts[2:]
	}
	named := len(parts) > 1
	out.Resource = parts[0] + group
	if len(parts) > 2 {
		out.Resource += "/" + parts[2]
	}
	out.Verb = verb(r, named)
	if r.URL.Query().Get("dryRun") != "" {
		out.Verb = "dryrun-" + out.Verb
	}
	return out
}

func verb(r *http.Request, named bool) string {
	switch r.Method {
	case http.MethodGet, http.MethodHead:
		if watching := r.URL.Query().Get("watch"); watching == "true" || watching == "1" {
			return "watch"
		}
		if named {
			return "get"
		}
		return "list"
	case http.MethodPost:
		return "create"
	case http.MethodPut:
		return "update"
	case http.MethodPatch:
		if strings.HasPrefix(r.Header.Get("Content-Type"), "application/apply-patch") {
			return "apply"
		}
		return "patch"
	case http.MethodDelete:
		if named {
			return "delete"
		}
		return "deletecollection"
	}
	return strings.ToLower(r.Method)
}
