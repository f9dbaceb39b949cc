package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/standup-sh/standup/lab"
)

// line is what the benchmark needs of an event line of standup.
type line struct {
	Type   string    `json:"type"`
	Time   time.Time `json:"time"`
	Step   string    `json:"step"`
	Object string    `json:"object"`
	Steps  []step    `json:"steps"`
}

type step struct {
	ID        string   `json:"id"`
	DependsOn []string `json:"dependsOn"`
	After     []string `json:"after"`
}

// readEvents reads the lines of a run.
func readEvents(raw []byte) ([]line, error) {
	var out []line
	dec := json.NewDecoder(bytes.NewReader(raw))
	for {
		var l line
		err := dec.Decode(&l)
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return nil, fmt.Errorf("event lines: %w", err)
		}
		out = append(out, l)
	}
}

// planGates are the gates that standup's own plan put before each
// Kustomization: other Kustomizations, at the moment at which the observer saw
// them Ready, and probes, at the moment at which standup found them passed.
func planGates(lines []line, tracks map[string]track) gates {
	steps := map[string]step{}
	passed := map[string]time.Time{}
	for _, l := range lines {
		for _, s := range l.Steps {
			steps[s.ID] = s
		}
		if l.Type == "step.finished" && strings.HasPrefix(l.Step, "probe:") {
			passed[l.Step] = l.Time
		}
	}
	out := gates{}
	for name := range tracks {
		var list []gate
		for id := range gateSteps(steps, readyStep(name)) {
			if when, ok := passed[id]; ok {
				list = append(list, gate{At: when})
			}
			before := id[strings.LastIndexByte(id, '/')+1:]
			if when := tracks[before].ready; strings.HasPrefix(id, readyPrefix) && !when.IsZero() {
				list = append(list, gate{Name: before, At: when})
			}
		}
		if len(list) > 0 {
			out[name] = list
		}
	}
	return out
}

// readyPrefix begins the ID of a step that drives a Kustomization to Ready.
const readyPrefix = "ready:Kustomization/" + lab.FluxNamespace + "/"

func readyStep(name string) string { return readyPrefix + name }

// gateSteps are the nearest steps before one that wait for the cluster; the
// steps between, such as the un-suspend, are standup's own work and count.
func gateSteps(steps map[string]step, id string) map[string]bool {
	out, seen := map[string]bool{}, map[string]bool{}
	var visit func(id string)
	visit = func(id string) {
		s := steps[id]
		for _, edges := range [][]string{s.DependsOn, s.After} {
			for _, b := range edges {
				if seen[b] {
					continue
				}
				seen[b] = true
				// A source is not: it was there before, and what is in front of a
				// Kustomization has to be a Kustomization to be seen.
				if strings.HasPrefix(b, readyPrefix) || strings.HasPrefix(b, "probe:") {
					out[b] = true
					continue
				}
				visit(b)
			}
		}
	}
	visit(id)
	return out
}

// mostWrites is how often standup wrote to the object that it wrote to most.
func mostWrites(lines []line) int {
	counts, most := map[string]int{}, 0
	for _, l := range lines {
		if l.Type == "step.acted" {
			counts[l.Object]++
			most = max(most, counts[l.Object])
		}
	}
	return most
}
