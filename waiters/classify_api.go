package waiters

import "regexp"

var (
	// One aggregated API that is down fails discovery of everything.
	reAggregated = regexp.MustCompile(`(?:complete list of server APIs|stale GroupVersion discovery): ([\w.-]+/\w+)`)
	reAPIReason  = regexp.MustCompile(`\((?:ServiceUnavailable|TooManyRequests|Timeout|ServerTimeout|InternalError)\)`)
)

// networkTexts are how Go and the API machinery say that the other side did
// not answer.
func networkTexts() []string {
	return []string{
		"dial tcp", "connection refused", "connection reset", "no such host", "no route to host", "i/o timeout",
		"TLS handshake timeout", "context deadline exceeded", "unexpected EOF", ": EOF", "Client.Timeout exceeded", "net/http: ",
	}
}

// Whatever network error is left here was met on the way to the API server:
// those to sources, webhooks and key services are recognised before.
func apiRules() []rule {
	return []rule{
		{kind: APIUnavailable, says: []string{"server APIs: ", "stale GroupVersion"}, match: reAggregated, subject: "$1"},
		{kind: APIUnavailable, says: []string{
			"the server is currently unable to handle the request", "etcdserver: ", "oo many requests",
			"failed to get API group resources", "unable to return a response in the time allotted",
			"request did not complete within", "http2: client connection lost", "client rate limiter",
			"apiserver not ready", "Internal error occurred",
		}},
		{kind: APIUnavailable, match: reAPIReason},
		{kind: APIUnavailable, says: networkTexts()},
	}
}
