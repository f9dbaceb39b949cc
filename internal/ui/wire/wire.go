// Package wire holds the JSON shapes that standup's public formats share: the
// event lines (standup.event/v1), the plan (standup.plan/v1) and the result
// (standup.result/v1). They are copies of the domain types on purpose: a rename
// inside the program must not become a break outside it. docs/reference
// describes every field.
package wire

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"time"

	"github.com/standup-sh/standup/tiers"
	"github.com/standup-sh/standup/waiters"
)

// Cause is a classified cause.
type Cause struct {
	Kind    string `json:"kind"`
	Class   string `json:"class,omitempty"`
	Subject string `json:"subject,omitempty"`
	Message string `json:"message,omitempty"`
	Remedy  string `json:"remedy,omitempty"`
}

// CauseOf returns nil when o explains nothing.
func CauseOf(o waiters.Observation) *Cause {
	if o.Cause.Kind == waiters.NoCause {
		return nil
	}
	return &Cause{
		Kind: string(o.Cause.Kind), Class: o.Cause.Class.String(),
		Subject: o.Cause.Subject, Message: o.Message, Remedy: o.Cause.Remedy,
	}
}

// Tier is one tier of a plan.
type Tier struct {
	Name           string   `json:"name"`
	Optional       bool     `json:"optional"`
	Listed         bool     `json:"listed"`
	Parallel       int      `json:"parallel,omitempty"`
	Kustomizations []string `json:"kustomizations"`
}

// TiersOf copies the tiers of a plan.
func TiersOf(ts []tiers.PlanTier) []Tier {
	out := make([]Tier, 0, len(ts))
	for _, t := range ts {
		w := Tier{Name: t.Name, Optional: t.Optional, Listed: t.Listed, Parallel: t.Parallel, Kustomizations: []string{}}
		for _, m := range t.Members {
			w.Kustomizations = append(w.Kustomizations, m.NamespacedName())
		}
		out = append(out, w)
	}
	return out
}

// Step is one step of a plan.
type Step struct {
	ID             string   `json:"id"`
	Verb           string   `json:"verb"`
	Tier           string   `json:"tier,omitempty"`
	Object         string   `json:"object,omitempty"`
	Probe          string   `json:"probe,omitempty"`
	DependsOn      []string `json:"dependsOn,omitempty"`
	After          []string `json:"after,omitempty"`
	Why            string   `json:"why"`
	TimeoutSeconds float64  `json:"timeoutSeconds,omitempty"`
	Optional       bool     `json:"optional,omitempty"`
}

// StepsOf copies the steps of a plan.
func StepsOf(steps []tiers.Step) []Step {
	out := make([]Step, 0, len(steps))
	for _, s := range steps {
		out = append(out, Step{
			ID: string(s.ID), Verb: string(s.Verb), Tier: s.Tier, Object: Object(s.Object), Probe: s.Probe,
			DependsOn: ids(s.DependsOn), After: ids(s.After), Why: s.Cause,
			TimeoutSeconds: Seconds(s.Timeout), Optional: s.Optional,
		})
	}
	return out
}

// Left is a suspended object that is left alone.
type Left struct {
	Object string   `json:"object"`
	Why    string   `json:"why"`
	Behind []string `json:"behind"`
}

// LeftOf copies what a plan leaves suspended.
func LeftOf(left []tiers.Left) []Left {
	out := make([]Left, 0, len(left))
	for _, l := range left {
		w := Left{Object: Object(l.Object), Why: l.Why, Behind: []string{}}
		for _, b := range l.Behind {
			w.Behind = append(w.Behind, b.NamespacedName())
		}
		out = append(out, w)
	}
	return out
}

// Object spells an object kind/namespace/name; empty for the zero Ref.
func Object(r tiers.Ref) string {
	if r.IsZero() {
		return ""
	}
	return r.String()
}

// Time spells a moment in UTC to the millisecond; empty for the zero Time.
func Time(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02T15:04:05.000Z")
}

// Seconds is d to the millisecond.
func Seconds(d time.Duration) float64 {
	return math.Round(d.Seconds()*1000) / 1000
}

// Text is the error's text; empty for nil.
func Text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// Marshal is json.Marshal that leaves <, > and & as people wrote them, and that
// indents documents but not lines.
func Marshal(v any, indent string) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", indent)
	if err := enc.Encode(v); err != nil {
		return nil, fmt.Errorf("encode JSON: %w", err)
	}
	return b.Bytes(), nil
}

func ids(in []tiers.StepID) []string {
	out := make([]string, 0, len(in))
	for _, id := range in {
		out = append(out, string(id))
	}
	return out
}
