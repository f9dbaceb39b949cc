package rehearsal

import (
	"fmt"
	"slices"
	"strings"
)

// Text is the result for people: causes first, each with what it keeps back.
func (r *Result) Text() string {
	var b strings.Builder
	switch r.Converges {
	case ResultYes:
		b.WriteString("An empty cluster converges on this tree.\n")
	case ResultNo:
		b.WriteString("An empty cluster does NOT converge on this tree.\n")
	default:
		b.WriteString("Whether an empty cluster converges on this tree cannot be told offline.\n")
	}
	r.writePreconditions(&b)
	told := map[string]bool{}
	for _, f := range r.Findings {
		if f.isPrecondition() {
			continue
		}
		fmt.Fprintf(&b, "\n%s %s  %s%s\n  %s.\n  %s\n", f.Verdict, f.Class, f.Kustomization, f.place(), f.Message, f.Remedy)
		if blocked := r.Blocked(f.Kustomization); len(blocked) > 0 && !told[f.Kustomization] {
			told[f.Kustomization] = true
			fmt.Fprintf(&b, "  Behind it: %s.\n", strings.Join(blocked, ", "))
		}
	}
	for i, f := range r.Fixes {
		if i == 0 {
			b.WriteString("\nFor good (--fix DIR writes it as a patch):\n")
		}
		fmt.Fprintf(&b, "  %s\n", f.Summary())
	}
	b.WriteString("\n")
	r.Timeline.write(&b)
	width := 0
	for _, k := range r.Kustomizations {
		width = max(width, len(k.Namespace+"/"+k.Name))
	}
	for _, k := range r.Kustomizations {
		line := fmt.Sprintf("%-*s  %-12s  flux %-8s  standup %s", width, k.Namespace+"/"+k.Name, k.Verdict, orNever(k.ReadyAfter.Flux), orNever(k.ReadyAfter.Standup))
		if k.BlockedBy != nil {
			line += "  behind " + *k.BlockedBy
		}
		b.WriteString(line + "\n")
	}
	return b.String()
}

func (r *Result) writePreconditions(b *strings.Builder) {
	if !slices.ContainsFunc(r.Findings, Finding.isPrecondition) {
		return
	}
	b.WriteString("\nBefore Flux starts, these must exist:\n")
	for _, f := range r.Findings {
		if f.isPrecondition() {
			fmt.Fprintf(b, "  %s (%s): %s\n", f.Remedy, f.Kustomization, f.Message)
		}
	}
}

// isPrecondition leaves out what is suspended: nobody has to make that.
func (f Finding) isPrecondition() bool { return f.Verdict == Precondition && f.Class != IsSuspended }

func (f Finding) place() string {
	if f.Object == nil || f.Object.File == "" {
		return ""
	}
	return fmt.Sprintf("  %s:%d", f.Object.File, f.Object.Line)
}

func orNever(s *string) string {
	if s == nil {
		return "never"
	}
	return *s
}
