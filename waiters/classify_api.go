package waiters

import "regexp"

var (
	// One aggregated API that is down fails discovery of everything.
	reAggregated = regexp.MustCompile(`(?:complete list of server APIs|stale GroupVersion discovery): ([\w.-]+/\w+)`)
	reAPI        = regexp.MustCompile(`(?i)the server is currently unable to handle the request|etcdserver: |too many requests|server has received too many requests|\((?:ServiceUnavailable|TooManyRequests|Timeout|ServerTimeout|InternalError)\)|failed to get API group resources|the server was unable to return a response in the time allotted|request did not complete within|http2: client connection lost|client rate limiter|apiserver not ready|Internal error occurred`)
	reNetwork    = regexp.MustCompile(`dial tcp|connection refused|connection reset|no such host|no route to host|i/o timeout|TLS handshake timeout|context deadline exceeded|unexpected EOF|: EOF$|Client\.Timeout exceeded|net/http: `)
)

// Whatever network error is left here was met on the way to the API server:
// those to sources, webhooks and key services are recognised before.
func apiRules() []rule {
	return []rule{
		{kind: APIUnavailable, match: reAggregated, subject: "$1"},
		{kind: APIUnavailable, match: reAPI},
		{kind: APIUnavailable, match: reNetwork},
	}
}
