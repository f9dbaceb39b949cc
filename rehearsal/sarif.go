package rehearsal

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// The part of SARIF 2.1.0 that findings need. A library for all of it is larger
// than the rehearsal.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool              sarifTool       `json:"tool"`
		AutomationDetails sarifID         `json:"automationDetails"`
		Results           []sarifResult   `json:"results"`
		Properties        sarifProperties `json:"properties"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name  string      `json:"name"`
		Rules []sarifRule `json:"rules"`
	}
	sarifID struct {
		ID string `json:"id"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifRule struct {
		ID               string    `json:"id"`
		ShortDescription sarifText `json:"shortDescription"`
		Help             sarifText `json:"help"`
	}
	sarifResult struct {
		RuleID       string            `json:"ruleId"`
		RuleIndex    int               `json:"ruleIndex"`
		Level        string            `json:"level"`
		Message      sarifText         `json:"message"`
		Locations    []sarifLocation   `json:"locations"`
		Fingerprints map[string]string `json:"partialFingerprints"`
		Properties   sarifProperties   `json:"properties"`
	}
	sarifLocation struct {
		Physical sarifPhysical  `json:"physicalLocation"`
		Logical  []sarifLogical `json:"logicalLocations"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   sarifRegion   `json:"region"`
	}
	sarifArtifact struct {
		URI  string `json:"uri"`
		Base string `json:"uriBaseId"`
	}
	sarifRegion struct {
		StartLine int `json:"startLine"`
	}
	sarifLogical struct {
		Name string `json:"fullyQualifiedName"`
		Kind string `json:"kind"`
	}
	sarifProperties map[string]any
)

// SARIF is the findings as code scanners read them: a rule for each class, a
// place in a file for each finding. One that has no place of its own gets the
// entry, because there are readers that take no result without one.
func (r *Result) SARIF(entry string) ([]byte, error) {
	entry = cmp.Or(cleanPath(entry), ".")
	run := sarifRun{
		Tool:              sarifTool{Driver: sarifDriver{Name: "standup", Rules: []sarifRule{}}},
		AutomationDetails: sarifID{ID: "standup-rehearse/" + strings.Trim(entry, "/") + "/"},
		Results:           []sarifResult{},
		Properties:        sarifProperties{"converges": r.Converges},
	}
	var classes []Class
	for _, f := range r.Findings {
		classes = append(classes, f.Class)
	}
	slices.Sort(classes)
	classes = slices.Compact(classes)
	for _, c := range classes {
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, ruleOf(c))
	}
	told := map[string]bool{}
	for _, f := range r.Findings {
		var blocked []string
		if !told[f.Kustomization] { // by the worst of its findings, which come first
			blocked, told[f.Kustomization] = r.Blocked(f.Kustomization), true
		}
		result := r.sarifResult(f, entry, blocked)
		result.RuleIndex = slices.Index(classes, f.Class)
		run.Results = append(run.Results, result)
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false) // -> and <- are in messages
	enc.SetIndent("", "  ")
	err := enc.Encode(sarifLog{
		Schema:  "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
		Version: "2.1.0", Runs: []sarifRun{run},
	})
	return b.Bytes(), err
}

func (r *Result) sarifResult(f Finding, entry string, blocked []string) sarifResult {
	message := fmt.Sprintf("%s %s: %s. %s", f.Verdict, f.Kustomization, f.Message, f.Remedy)
	properties := sarifProperties{"verdict": f.Verdict, "kustomization": f.Kustomization}
	if len(blocked) > 0 {
		message += fmt.Sprintf(" Behind it: %s.", strings.Join(blocked, ", "))
		properties["blocks"] = blocked
	}
	return sarifResult{
		RuleID: string(f.Class), Level: r.level(f), Message: sarifText{message},
		Locations: []sarifLocation{f.location(entry)}, Properties: properties,
		Fingerprints: map[string]string{"finding/v1": f.fingerprint()},
	}
}

// level is that of the verdict; what the baseline calls absent is no note.
func (r *Result) level(f Finding) string {
	switch f.Verdict {
	case Deadlock, Stall:
		return "error"
	case Precondition:
		if r.unmet(r.named(f.Kustomization)) {
			return "error"
		}
		return "note"
	case Hazard, Retry, Race, Runtime, Unknown, OK:
	}
	return "warning"
}

func (f Finding) location(entry string) sarifLocation {
	file, line := entry, 1
	logical := []sarifLogical{{Name: "Kustomization/" + f.Kustomization, Kind: "object"}}
	if o := f.Object; o != nil {
		file, line = cmp.Or(o.File, file), max(o.Line, line)
		name := objectKey{kind: o.Kind, namespace: o.Namespace, name: o.Name}.String()
		if name != logical[0].Name {
			logical = slices.Insert(logical, 0, sarifLogical{Name: name, Kind: "object"})
		}
	}
	return sarifLocation{
		Physical: sarifPhysical{
			// A path may hold what a URI may not, and a colon would be a scheme.
			Artifact: sarifArtifact{URI: (&url.URL{Path: file}).String(), Base: "%SRCROOT%"},
			Region:   sarifRegion{StartLine: line},
		},
		Logical: logical,
	}
}

// fingerprint names the finding in whatever line it stands, so that a reader can
// tell an old one from a new one.
func (f Finding) fingerprint() string {
	words := []string{string(f.Verdict), string(f.Class), f.Kustomization}
	if o := f.Object; o != nil {
		words = append(words, o.APIVersion, o.Kind, o.Namespace, o.Name)
	}
	for _, m := range f.Missing {
		words = append(words, m.Group, m.Kind)
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%q", words))
	return hex.EncodeToString(sum[:16])
}
