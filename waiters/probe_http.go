package waiters

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
)

// NewHTTP returns a probe that is Ready once a GET of rawURL is answered with
// the wanted status; zero means 200. Redirects are not followed: they are an
// answer, to be wanted or not.
func NewHTTP(name, rawURL string, want int) (Probe, error) {
	u, err := url.Parse(rawURL)
	if err != nil {
		return nil, fmt.Errorf("probe %s: %w", name, err)
	}
	if u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("probe %s: %q is not an http or https URL", name, rawURL)
	}
	if want == 0 {
		want = http.StatusOK
	}
	return &httpProbe{name: name, url: u.String(), want: want, client: &http.Client{
		Timeout: lookTimeout,
		// Every look is a new connection: a kept one could outlive the Service,
		// or the certificate, that a new caller would meet.
		Transport:     &http.Transport{Proxy: http.ProxyFromEnvironment, DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}, nil
}

type httpProbe struct {
	name, url string
	want      int
	client    *http.Client
}

// Name implements Probe.
func (p *httpProbe) Name() string { return p.name }

// Observe implements Probe.
func (p *httpProbe) Observe(ctx context.Context) (Observation, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, p.url, nil)
	if err != nil {
		return Observation{}, TerminalError(err)
	}
	resp, err := p.client.Do(req)
	if err != nil {
		return notAnswering(ctx, err)
	}
	// The body is not looked at; a little of it is read so that small answers
	// end in good order on the other side.
	_, _ = io.CopyN(io.Discard, resp.Body, 4<<10)
	_ = resp.Body.Close()
	if resp.StatusCode != p.want {
		return Observation{
			State: Progressing, Reason: "WrongStatus",
			Message: fmt.Sprintf("answers %s, want %d", resp.Status, p.want),
		}, nil
	}
	return Observation{State: Ready, Reason: "Answers", Message: fmt.Sprintf("answers %d", p.want)}, nil
}
