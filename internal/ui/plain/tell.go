package plain

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"github.com/standup-sh/standup/bootstrap/event"
	"github.com/standup-sh/standup/internal/ui/view"
	"github.com/standup-sh/standup/tiers"
	"github.com/standup-sh/standup/waiters"
)

// tell writes the line that the event is worth, if it is worth one. The event
// has been folded already; the caller holds the lock.
func (s *Sink) tell(e event.Event) {
	switch b := e.Body.(type) {
	case event.PlanReady:
		s.tellPlan(e, b.Plan)
	case event.PlanExtended:
		s.write(e.Time, zapcore.InfoLevel, fmt.Sprintf("plan extended by %s: %s", view.Count(len(b.Steps), "step"), view.Line(b.Cause)),
			zap.String("event", "plan.extended"), zap.Int("steps", len(b.Steps)))
	case event.PreflightChecked:
		s.tellPreflight(e, b)
	case event.SourceMoved:
		s.write(e.Time, zapcore.InfoLevel, view.MoveText(b)+": the new revision is what the run waits for now",
			zap.String("event", "source.moved"), zap.String("object", b.Source.String()), zap.String("revision", b.To))
	case event.StepStarted:
		s.tellStarted(e, b)
	case event.StepObserved:
		s.tellObserved(e, b)
	case event.StepActed:
		s.tellActed(e, b)
	case event.StepFinished:
		s.tellFinished(e, b)
	case event.Warned:
		s.write(e.Time, zapcore.WarnLevel, s.called.Warning(b),
			zap.String("event", "warning"), zap.String("object", objectOf(b.Object)))
	case event.RunFinished:
		s.tellEnd(e, b)
	}
}

func (s *Sink) tellPlan(e event.Event, p *tiers.Plan) {
	s.called = view.NamesIn(p.Tiers)
	if !view.Of(&s.state).Planned {
		return // the run was refused; why comes next
	}
	where := ""
	if p.Cluster != "" {
		where = " for " + p.Cluster
	}
	s.write(e.Time, zapcore.InfoLevel,
		fmt.Sprintf("plan%s: %s, %s (run %s)", where, view.Count(view.TierCount(p.Tiers), "tier"), view.Count(len(p.Steps), "step"), e.Run),
		zap.String("event", "plan"), zap.String("run", e.Run), zap.String("cluster", p.Cluster),
		zap.Int("tiers", view.TierCount(p.Tiers)), zap.Int("steps", len(p.Steps)))
	v := view.Of(&s.state)
	for _, l := range p.Left {
		msg := fmt.Sprintf("%s stays suspended: %s", v.Name(l.Object), view.Line(l.Why))
		if behind := v.BehindLeft(l); len(behind) > 0 {
			msg += "; behind it: " + strings.Join(v.Names(behind), ", ")
		}
		s.write(e.Time, zapcore.WarnLevel, msg, zap.String("event", "left"), zap.String("object", l.Object.String()))
	}
}

func (s *Sink) tellPreflight(e event.Event, b event.PreflightChecked) {
	field := zap.String("event", "preflight")
	if b.Err != nil {
		s.write(e.Time, zapcore.ErrorLevel, "check "+b.Name+": "+view.Line(b.Err.Error()), field)
		return
	}
	s.write(e.Time, zapcore.DebugLevel, strings.TrimSuffix("check "+b.Name+": "+view.Line(b.Detail), ": "), field)
}

func (s *Sink) tellStarted(e event.Event, b event.StepStarted) {
	st, _ := s.state.Step(b.Step)
	switch st.Step.Verb {
	case tiers.Ready:
		s.write(e.Time, zapcore.InfoLevel, s.label(st.Step)+": started", s.fields("step.started", st)...)
	case tiers.Probe:
		s.write(e.Time, zapcore.InfoLevel, s.label(st.Step)+": waiting for it to pass", s.fields("step.started", st)...)
	case tiers.Resume, tiers.Applied, tiers.PreApply, tiers.Served, tiers.Handover: // what they do is told when it is done
	}
}

// tellObserved tells a cause once for each step, however often it comes back.
func (s *Sink) tellObserved(e event.Event, b event.StepObserved) {
	now := sight{cause: b.Seen.Cause, state: b.Seen.State}
	if last, ok := s.since[b.Step]; !ok || last.cause != now.cause || last.state != now.state {
		now.at = e.Time
		s.since[b.Step] = now
	}
	st, _ := s.state.Step(b.Step)
	told := saying{step: b.Step, what: b.Seen.Cause}
	level := zapcore.InfoLevel
	if b.Seen.Cause.Kind == waiters.NoCause || s.said[told] {
		level = zapcore.DebugLevel
	}
	s.said[told] = true
	line := fmt.Sprintf("%s: %s", s.label(st.Step), strings.ToLower(b.Seen.State.String()))
	if what := view.Sight(b.Seen); what != "" {
		line += ": " + what
	}
	s.write(e.Time, level, line, s.fields("step.observed", st)...)
}

func (s *Sink) tellActed(e event.Event, b event.StepActed) {
	st, _ := s.state.Step(b.Step)
	line := s.label(st.Step)
	switch b.Action {
	case event.Resumed:
		line += ": un-suspended"
	case event.Nudged:
		line += ": nudged"
	case event.Reset:
		line += ": reset"
	case event.PreApplied:
		line += ": applied early"
	case event.Restarted:
		line += ": restarted"
	default:
		line += ": " + string(b.Action)
	}
	if why := view.Line(b.Cause); why != "" {
		line += ": " + why
	}
	s.write(e.Time, zapcore.InfoLevel, line, s.fields("step.acted", st)...)
}

func (s *Sink) tellFinished(e event.Event, b event.StepFinished) {
	st, _ := s.state.Step(b.Step)
	fields := s.fields("step.finished", st)
	label, took := s.label(st.Step), ""
	if !st.Started.IsZero() {
		d := st.Finished.Sub(st.Started)
		took = " in " + view.Duration(d)
		fields = append(fields, zap.Float64("seconds", d.Seconds()))
	}
	switch b.Outcome {
	case event.Succeeded:
		if line, ok := succeeded(st, took); ok {
			s.write(e.Time, zapcore.InfoLevel, label+": "+line, fields...)
		}
		s.tellTier(e.Time, st.Step.Tier)
	case event.Failed:
		s.tellFailure(e.Time, label, st, fields)
	case event.Skipped:
		if st.Step.Verb == tiers.Resume || st.Step.Verb == tiers.Applied || st.Step.Verb == tiers.Handover {
			return // its ready step says it
		}
		s.write(e.Time, zapcore.DebugLevel, strings.TrimSuffix(label+": skipped because of "+b.Because, " because of "), fields...)
	case event.Cancelled:
		s.write(e.Time, zapcore.DebugLevel, label+": not finished", fields...)
	case event.Pending: // no step finishes so
	}
}

// succeeded is what there is to say about a step that got there.
func succeeded(st event.StepState, took string) (string, bool) {
	switch st.Step.Verb {
	case tiers.Ready:
		at := ""
		if st.Seen.Revision != "" {
			at = " at " + view.Revision(st.Seen.Revision)
		}
		return "Ready" + at + took, true
	case tiers.Probe:
		return "passed" + took, true
	case tiers.Served:
		return "served" + took, true
	case tiers.Handover:
		return "handed over: Flux has made it its own", true
	case tiers.Applied, tiers.Resume, tiers.PreApply:
	}
	return "", false
}

func (s *Sink) tellFailure(at time.Time, label string, st event.StepState, fields []zap.Field) {
	line := label + ": failed"
	if !st.Started.IsZero() {
		line += " after " + view.Duration(st.Finished.Sub(st.Started))
	}
	for _, part := range []string{view.GivenUp(st.Err), view.Sight(st.Seen)} {
		if part != "" {
			line += ": " + part
		}
	}
	if remedy := view.Line(st.Seen.Cause.Remedy); remedy != "" {
		line += " (" + remedy + ")"
	}
	level := zapcore.ErrorLevel
	if st.Step.Optional {
		level, line = zapcore.WarnLevel, line+"; its tier is optional"
	}
	s.write(at, level, line, fields...)
}

// tellTier tells that a tier of several Kustomizations is complete; one of one
// has just been told of.
func (s *Sink) tellTier(at time.Time, name string) {
	if !s.complete(name) {
		return
	}
	v := view.Of(&s.state)
	for i := range v.Tiers {
		t := &v.Tiers[i]
		if t.Name != name || t.Status != view.Ready || len(t.Members)+len(t.Probes) < 2 {
			continue
		}
		s.write(at, zapcore.InfoLevel, fmt.Sprintf("tier %s: ready in %s, %d of %s", name,
			view.Duration(t.Elapsed(at)), v.ReadyTiers(), view.Count(len(v.Tiers), "tier")),
			zap.String("event", "tier.finished"), zap.String("tier", name))
	}
}

// complete reports whether every step of a tier of several has ended. It is
// the cheap half of the question, asked after every step: a View costs a walk
// over the plan.
func (s *Sink) complete(tier string) bool {
	for i := range s.state.Tiers {
		if s.state.Tiers[i].Tier.Name != tier {
			continue
		}
		several := 0
		for _, n := range s.state.Tiers[i].Steps {
			st := &s.state.Steps[n]
			if st.Outcome == event.Pending {
				return false
			}
			if st.Step.Verb == tiers.Ready || st.Step.Verb == tiers.Probe {
				several++
			}
		}
		return several > 1
	}
	return false
}

func (s *Sink) tellEnd(e event.Event, b event.RunFinished) {
	v := view.Of(&s.state)
	took := view.Duration(v.Elapsed(e.Time))
	field := zap.String("event", "run.finished")
	if b.Err == nil {
		what := ""
		if len(v.Tiers) > 0 {
			what = fmt.Sprintf(": %d of %s ready", v.ReadyTiers(), view.Count(len(v.Tiers), "tier"))
		}
		s.write(e.Time, zapcore.InfoLevel, "run finished"+what+" in "+took, field)
		return
	}
	// What failed in an optional tier has been told, and did not end the run.
	troubles := slices.DeleteFunc(v.Troubles(), func(t view.Trouble) bool { return t.Item.Optional })
	if len(troubles) == 0 {
		s.write(e.Time, zapcore.ErrorLevel, fmt.Sprintf("run ended after %s: %s", took, view.Line(b.Err.Error())), field)
		return
	}
	for i := range troubles {
		t := &troubles[i]
		line := fmt.Sprintf("run failed after %s: %s: %s", took, t.Item.Name, v.Why(&t.Item))
		if n := len(t.Behind); n > 0 {
			line += fmt.Sprintf("; %s behind it", view.Count(n, "Kustomization"))
		}
		s.write(e.Time, zapcore.ErrorLevel, line, field, zap.String("object", objectOf(t.Item.Object)))
	}
}

// label is how a line begins: "platform", "apps: media/plex", or
// "platform-config-cdi: probe folded-in".
func (s *Sink) label(st tiers.Step) string {
	name := "probe " + st.Probe
	if st.Verb != tiers.Probe {
		name = s.called.Of(st.Object)
	}
	if st.Tier == "" || st.Tier == name {
		return name
	}
	return st.Tier + ": " + name
}

func (s *Sink) fields(what string, st event.StepState) []zap.Field {
	if !s.opts.JSON {
		return nil
	}
	f := []zap.Field{zap.String("event", what), zap.String("tier", st.Step.Tier)}
	if !st.Step.Object.IsZero() {
		f = append(f, zap.String("object", st.Step.Object.String()))
	}
	if st.Step.Probe != "" {
		f = append(f, zap.String("probe", st.Step.Probe))
	}
	if st.Seen.State != waiters.Unknown {
		f = append(f, zap.String("state", st.Seen.State.String()))
	}
	if st.Seen.Cause.Kind != waiters.NoCause {
		f = append(f, zap.String("cause", string(st.Seen.Cause.Kind)))
	}
	if st.Seen.Revision != "" {
		f = append(f, zap.String("revision", st.Seen.Revision))
	}
	return f
}

func objectOf(r tiers.Ref) string {
	if r.IsZero() {
		return ""
	}
	return r.String()
}
