package export

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/lockpick-dev/lockpick/model"
)

// writer writes the body of a test.
type writer struct {
	*Script
	out    strings.Builder
	bundle *Bundle
	apart  bool // clients are processes of their own
	errs   map[int]string
	leases map[string]string // of clients
	calls  map[int]string
	names  map[string]int
	read   map[int]string // what was read, by acquisitions
	// front is the server that clients connect to, and addresses are those of the servers behind it, each with a comma.
	front, addresses string
}

// Body returns the test function. References to parts are of the form «path.Name».
func (s *Script) Body(b *Bundle, construct string, apart bool) string {
	if s.missing != nil {
		return s.missingBody(construct)
	}
	w := &writer{Script: s, bundle: b, apart: apart, errs: map[int]string{}, leases: map[string]string{}, calls: map[int]string{}, read: map[int]string{}, names: map[string]int{}}
	w.line("func %s(t *testing.T) {", s.TestName())
	w.line("ctx := t.Context()")
	w.servers()
	w.line("const ttl = %s", duration(s.ttl))
	for _, c := range s.clients {
		w.client(c, construct)
	}
	if s.verdict.Property == lostUpdate {
		w.line("counter, writes := 0, 0 // what the lock protects")
	}
	w.line("")
	w.steps()
	w.statements(s.decided.last, nil)
	w.line("}")
	return strings.ReplaceAll(w.out.String(), "time.", "«time.»")
}

// servers writes how the server is started, with a pooler before it if the trace has one.
func (w *writer) servers() {
	args := "t"
	for _, statement := range w.schema {
		args += ",\n" + w.literal(statement)
	}
	if len(w.schema) > 0 {
		args += ",\n"
	}
	w.line("server := «%s.%s»(%s)", partsPath, w.store.server, args)
	w.front, w.addresses = "server", ""
	if mode, size := w.pooler(); mode != "" {
		w.line("pooler := «%s.%s»(t, server, %s, %d)", partsPath, w.store.pooler, w.literal(mode), size)
		w.front, w.addresses = "pooler", "server, "
	}
}

func (w *writer) line(format string, args ...any) { fmt.Fprintf(&w.out, format+"\n", args...) }

// client writes how a client is made, with a network of its own if a message of it is lost or late.
func (w *writer) client(name, construct string) {
	address, ident, name := w.front, w.ident(name), w.literal(name)
	if slices.ContainsFunc(w.fates, func(f *fate) bool { return w.ident(f.client) == ident }) {
		w.line("%sNetwork := «%s.NewNetwork»(t, %s, «%s.%s»)", ident, partsPath, w.front, partsPath, w.store.pass)
		address = ident + "Network.Address"
	}
	address = w.addresses + address
	if w.apart {
		w.line("%s := «%s.NewProcess»(t, %s, ttl, %s)", ident, partsPath, name, address)
		return
	}
	w.line("%s := %s(«%s.NewClient»(t, %s, ttl, %s))", ident, construct, partsPath, name, address)
}

// fresh returns a name for a variable.
func (w *writer) fresh(name string) string {
	w.names[name]++
	if n := w.names[name]; n > 1 {
		return fmt.Sprintf("%s%d", name, n)
	}
	return name
}

func (w *writer) steps() {
	at := w.steps0()
	for i := 0; i < len(w.Script.steps); i++ {
		st := &w.Script.steps[i]
		if gap := st.at - at; gap >= together && st.kind != awaits && st.kind != ends {
			w.line("time.Sleep(%s)", duration(gap.Round(10*time.Millisecond)))
		}
		gap := max(st.at-at, 0)
		at = max(at, st.at)
		switch st.kind {
		case begins:
			next := i+1 < len(w.Script.steps) && w.Script.steps[i+1].kind == ends && w.Script.steps[i+1].op == st.op && !w.mayWait(st.op)
			w.begin(st, next)
			if next {
				i++
				at = max(at, w.Script.steps[i].at)
			}
		case ends:
			w.end(st, gap)
		case awaits:
			w.line("%s.Await(t)", st.fate.name)
			if st.op == w.decided.at {
				w.statements(w.decided.held, st.op)
			}
		case lets:
			if st.fate.broken {
				w.line("%s.Lose()", st.fate.name)
			} else {
				w.line("%s.Release()", st.fate.name)
			}
		case cancels:
			w.line("%s // its context ends", w.cancelOf(st.op)+"()")
		case stops:
			if w.apart {
				w.line("%s.Stop(t)", w.ident(st.client))
			} else {
				w.line("// %s", w.comment("The process of "+st.client+" stands still: a garbage collection, a machine that is suspended."))
			}
		case continues:
			if w.apart {
				w.line("%s.Continue(t)", w.ident(st.client))
			}
		}
	}
}

func (w *writer) steps0() time.Duration {
	if len(w.Script.steps) == 0 {
		return 0
	}
	return w.Script.steps[0].at
}

func (w *writer) cancelOf(op *model.Operation) string { return fmt.Sprintf("cancel%d", op.ID) }

// rules says what becomes of the messages of a call.
func (w *writer) rules(op *model.Operation) {
	for _, f := range w.fates {
		if f.op != op {
			continue
		}
		ident, word := w.ident(f.client), w.literal(f.word)
		if f.after > 0 {
			w.line("%sNetwork.Pass(%s, %d)", ident, word, f.after)
		}
		switch {
		case f.lost:
			w.line("%sNetwork.LoseAnswer(%s)", ident, word)
		case f.heldRequest:
			w.line("%s := %sNetwork.HoldRequest(%s)", f.name, ident, word)
		case f.heldAnswer:
			w.line("%s := %sNetwork.HoldAnswer(%s)", f.name, ident, word)
		}
	}
}

// begin writes a call, and its return if nothing comes between.
func (w *writer) begin(st *step, whole bool) {
	op := st.op
	w.rules(op)
	if op == w.decided.at {
		w.statements(w.decided.before, op)
	}
	ctx := "ctx"
	if op.Cancelled.Happened() && op.Cancelled.Seq <= w.until {
		ctx = fmt.Sprintf("ctx%d", op.ID)
		w.line("%s, %s := «context.WithCancel»(ctx)", ctx, w.cancelOf(op))
		w.line("defer %s()", w.cancelOf(op))
	}
	lease := w.leases[op.Client]
	var call string
	switch op.Kind {
	case model.Acquire:
		lease = "_"
		if w.needed(op) {
			lease = w.fresh(w.ident(op.Client) + "Lease")
		}
		w.leases[op.Client] = lease
		call = fmt.Sprintf("%s.Acquire(%s)", w.ident(op.Client), ctx)
		if op.Try {
			w.bundle.Call("TryAcquire")
			call = fmt.Sprintf("%s.(«%s/lock.TryLocker»).TryAcquire(%s)", w.ident(op.Client), modulePath, ctx)
		}
	case model.Release:
		call = fmt.Sprintf("%s.Release(%s)", lease, ctx)
	case model.Extend:
		w.bundle.Call("Extend")
		call = fmt.Sprintf("%s.(«%s/lock.Extender»).Extend(%s, ttl)", lease, modulePath, ctx)
	case model.Read:
		if w.written(op) {
			w.read[op.Acquisition] = w.fresh(w.ident(op.Client) + "Read")
			w.line("%s := counter", w.read[op.Acquisition])
		}
		return
	case model.Write:
		w.line("counter = %s + 1\nwrites++", w.read[op.Acquisition])
		return
	}
	err := w.fresh(strings.ToLower(opName(op)) + "Err")
	w.errs[op.ID] = err
	switch {
	case whole && op.Kind == model.Acquire:
		w.line("%s, %s := %s", lease, err, call)
	case whole:
		w.line("%s := %s", err, call)
	case op.Kind == model.Acquire && lease == "_":
		w.calls[op.ID] = w.fresh("call")
		w.line("%s := «%s.Begin»(func() error { _, err := %s; return err })", w.calls[op.ID], partsPath, call)
	case op.Kind == model.Acquire:
		w.line("var %s «%s/lock.Lease»", lease, modulePath)
		w.calls[op.ID] = w.fresh("call")
		w.line("%s := «%s.Begin»(func() (err error) { %s, err = %s; return err })", w.calls[op.ID], partsPath, lease, call)
	default:
		w.calls[op.ID] = w.fresh("call")
		w.line("%s := «%s.Begin»(func() error { return %s })", w.calls[op.ID], partsPath, call)
	}
	if whole {
		w.returned(op)
	}
}

// mayWait reports whether an operation does not return if the lock is sound.
func (w *writer) mayWait(op *model.Operation) bool { return w.decided.waits && op == w.decided.at }

// end writes the return of a call, which comes so long after the step before.
func (w *writer) end(st *step, gap time.Duration) {
	if w.calls[st.op.ID] == "" {
		return // an access
	}
	if w.mayWait(st.op) {
		w.line("%s := %s.Within(%s)", w.errs[st.op.ID], w.calls[st.op.ID], duration((gap + w.ttl/2).Round(10*time.Millisecond)))
	} else {
		w.line("%s := %s.Wait(t)", w.errs[st.op.ID], w.calls[st.op.ID])
	}
	w.returned(st.op)
}

// returned writes what a return means.
func (w *writer) returned(op *model.Operation) {
	err, message := w.errs[op.ID], w.message(opName(op)+" of %s: %%v", op.Client)
	if op != w.decided.at && op.Result == model.OK {
		w.line("if %s != nil {\nt.Fatalf(%s, %s)\n}", err, message, err)
	} else {
		w.line("t.Logf(%s, %s)", message, err)
	}
	if op == w.decided.of {
		w.statements(w.decided.noted, op)
	}
	if op == w.decided.at {
		w.statements(w.decided.after, op)
	}
}

// written reports whether what is read is written, and only once.
func (w *writer) written(read *model.Operation) bool {
	return w.read[read.Acquisition] == "" && slices.ContainsFunc(w.Script.steps, func(st step) bool {
		return st.kind == begins && st.op.Kind == model.Write && st.op.Acquisition == read.Acquisition
	})
}

// needed reports whether something is done with what an acquisition returns.
func (w *writer) needed(acquire *model.Operation) bool {
	return slices.ContainsFunc(w.Script.steps, func(st step) bool {
		return st.kind == begins && st.op != acquire && st.op.Acquisition == acquire.ID && (st.op.Kind == model.Release || st.op.Kind == model.Extend)
	})
}

// statements writes those of a decision.
func (w *writer) statements(text string, op *model.Operation) {
	text = strings.ReplaceAll(text, "RECORD", "«"+partsPath+"."+w.store.record+"»(t, server)")
	text = strings.NewReplacer("PARTS", partsPath, "PROPERTY", w.verdict.Property).Replace(text)
	if op != nil {
		text = strings.ReplaceAll(text, "ERR", w.errs[op.ID])
		condition, verb := "!=", "Acquire has failed"
		if op.Kind == model.Release {
			condition, verb = "==", "the lock was released"
		}
		text = strings.NewReplacer("CONDITION", condition, "VERB", verb).Replace(text)
	}
	w.out.WriteString(text)
}

// duration returns a duration as Go source.
func duration(d time.Duration) string {
	switch {
	case d%time.Second == 0:
		return fmt.Sprintf("%d * time.Second", d/time.Second)
	case d%time.Millisecond == 0:
		return fmt.Sprintf("%d * time.Millisecond", d/time.Millisecond)
	}
	return fmt.Sprintf("%d * time.Microsecond", d/time.Microsecond)
}
