package viewer

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/lockpick-dev/lockpick/internal/test/sampletraces"
	"github.com/lockpick-dev/lockpick/traces"
	"github.com/lockpick-dev/lockpick/traces/render"
)

var shots = flag.String("shots", "", "leave screenshots in this directory, to be looked at")

// names are the programs that the tests know how to drive.
var names = []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"}

// browser is one Chromium for all tests, or why there is none.
var browser = sync.OnceValues(func() (context.Context, error) {
	path := os.Getenv("CHROMIUM")
	for _, name := range names {
		if found, err := exec.LookPath(name); path == "" && err == nil {
			path = found
		}
	}
	if path == "" {
		return nil, fmt.Errorf("none of %s is there; CHROMIUM names another", strings.Join(names, ", "))
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.WSURLReadTimeout(time.Minute))
	allocator, _ := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, _ := chromedp.NewContext(allocator)
	return ctx, chromedp.Do(ctx)
})

// pagesDir is a directory for pages that several tests look at.
var pagesDir = sync.OnceValue(func() string {
	dir, err := os.MkdirTemp("", "pages")
	if err != nil {
		panic(err)
	}
	return dir
})

func TestMain(m *testing.M) {
	if os.Getenv(asWorker) != "" {
		serve()
		return
	}
	flag.Parse()
	code := m.Run()
	_ = os.RemoveAll(pagesDir())
	if ctx, err := browser(); err == nil {
		_ = chromedp.Cancel(ctx)
	}
	os.Exit(code)
}

// view is how a page is looked at.
type view struct {
	width, height           int64 // 1400 × 900 unless set
	dark, moving, scriptOff bool  // moving: motion is not reduced
	touch                   bool
	hash                    string
}

// tab is a page in the browser. A message on its console fails the test.
type tab struct {
	testing.TB
	ctx context.Context

	mu       sync.Mutex
	messages []string
}

// sample is a hand-made trace.
func sample(t testing.TB, name string) *traces.Trace {
	for _, s := range sampletraces.Samples {
		if s.Name == name {
			return s.Make()
		}
	}
	t.Fatalf("no sample %q", name)
	return nil
}

// open shows the page of a trace.
func open(t testing.TB, trace *traces.Trace, v view) *tab {
	t.Helper()
	var page bytes.Buffer
	if err := render.View(&page, trace, "simrun replay some.trace"); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "page.html")
	if err := os.WriteFile(file, page.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return openFile(t, file, v)
}

// openFile shows a file.
func openFile(t testing.TB, file string, v view) *tab {
	t.Helper()
	return openAddress(t, "file://"+file+v.hash, v)
}

// openAddress shows what is at an address.
func openAddress(t testing.TB, address string, v view) *tab {
	t.Helper()
	parent, err := browser()
	if err != nil {
		t.Fatalf("no browser: %v", err)
	}
	ctx, cancel := chromedp.NewContext(parent)
	ctx, stop := context.WithTimeout(ctx, 5*time.Minute)
	b := &tab{TB: t, ctx: ctx}
	if err := chromedp.Listen(ctx, b.listen); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		for _, m := range b.messages {
			t.Errorf("on the console: %s", m)
		}
		stop()
		cancel()
	})
	if v.width == 0 {
		v.width, v.height = 1400, 900
	}
	call(b, log.Enable, cdp.Empty{})
	call(b, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: v.scriptOff})
	b.look(v)
	call(b, emulation.SetTouchEmulationEnabled, emulation.SetTouchEmulationEnabledParams{Enabled: v.touch})
	b.do(chromedp.Navigate(address))
	return b
}

// look changes the size and the colours of what a page is looked at with.
func (b *tab) look(v view) {
	b.Helper()
	call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: v.media()})
	call(b, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: v.width, Height: v.height, DeviceScaleFactor: 1, Mobile: v.touch})
}

func (v view) media() []*emulation.MediaFeature {
	scheme, motion := "light", "reduce"
	if v.dark {
		scheme = "dark"
	}
	if v.moving {
		motion = "no-preference"
	}
	return []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: motion}}
}

// listen keeps what the page says on its console, exceptions and violations of its policy
// among it.
func (b *tab) listen(event any) {
	text := ""
	switch e := event.(type) {
	case *runtime.EventConsoleAPICalled:
		for _, arg := range e.Args {
			text += string(arg.Value) + " "
		}
		text = string(e.Type) + " " + text
	case *runtime.EventExceptionThrown:
		text = e.ExceptionDetails.Text
		if x := e.ExceptionDetails.Exception; x != nil {
			text += " " + x.Description
		}
	case *log.EventEntryAdded:
		text = e.Entry.Text
	default:
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.messages = append(b.messages, text)
}

func (b *tab) do(actions ...chromedp.Action[chromedp.Void]) {
	b.Helper()
	if err := chromedp.Do(b.ctx, actions...); err != nil {
		b.Fatal(err)
	}
}

// call sends a command of the protocol.
func call[P, R any](b *tab, command cdp.Command[P, R], params P) {
	b.Helper()
	if _, err := chromedp.Call(b.ctx, command, params); err != nil {
		b.Fatal(err)
	}
}

// settled waits until the page has drawn what it was asked for.
const settled = `new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 0))))`

func (b *tab) settle() {
	b.Helper()
	if _, err := chromedp.Run(b.ctx, chromedp.Evaluate[any](settled, chromedp.EvalAwaitPromise)); err != nil {
		b.Fatal(err)
	}
}

// press presses keys, one after another.
func (b *tab) press(keys ...string) {
	b.Helper()
	for _, key := range keys {
		modifiers := kb.ModifierNone
		if rest, shifted := strings.CutPrefix(key, "shift+"); shifted {
			key, modifiers = rest, kb.ModifierShift
		}
		b.write(key, modifiers)
	}
	b.settle()
}

// write presses the keys of a text. As in a browser that nobody drives, a key whose press is
// taken by the page writes nothing.
func (b *tab) write(text string, modifiers kb.Modifier) {
	b.Helper()
	for _, r := range text {
		events := kb.Encode(r)
		down := *events[0]
		down.Modifiers |= modifiers.Int64()
		for _, e := range events {
			if e.Type == kb.KeyChar {
				down.Type, down.Text, down.UnmodifiedText = kb.KeyDown, e.Text, e.UnmodifiedText
			}
		}
		call(b, input.DispatchKeyEvent, down)
		down.Type, down.Text, down.UnmodifiedText = kb.KeyUp, "", ""
		call(b, input.DispatchKeyEvent, down)
	}
}

// click clicks in the middle of the element that a selector finds first.
func (b *tab) click(selector string) {
	b.Helper()
	at := b.box(selector)
	if at.Width == 0 || at.Height == 0 {
		b.Fatalf("%s is not to be seen", selector)
	}
	b.clickAt(at.X+at.Width/2, at.Y+at.Height/2)
}

func (b *tab) clickAt(x, y float64) {
	b.Helper()
	b.do(chromedp.MouseClickXY(x, y))
	b.settle()
}

// box is where an element is in the window.
type box struct{ X, Y, Width, Height float64 }

func (b *tab) box(selector string) box {
	b.Helper()
	return value[box](b, `(() => { const r = document.querySelector(%s).getBoundingClientRect(); return {X: r.x, Y: r.y, Width: r.width, Height: r.height}; })()`, selector)
}

// text is what an element says.
func (b *tab) text(selector string) string {
	b.Helper()
	return value[string](b, `document.querySelector(%s).textContent.trim().replace(/\s+/g, " ")`, selector)
}

// count is how many elements there are that can be seen.
func (b *tab) count(selector string) int {
	b.Helper()
	return value[int](b, `[...document.querySelectorAll(%s)].filter((e) => e.getClientRects().length > 0).length`, selector)
}

// value is the value of an expression, for which the test waits if it is a promise. Each %s stands for a text.
func value[T any](b *tab, expression string, texts ...string) T {
	b.Helper()
	var quoted []any
	for _, text := range texts {
		q, _ := json.Marshal(text)
		quoted = append(quoted, string(q))
	}
	if len(quoted) > 0 {
		expression = fmt.Sprintf(expression, quoted...)
	}
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		b.Fatalf("%s: %v", expression, err)
	}
	return v
}

// want fails the test if something is not as it should be.
func want[T comparable](b *tab, what string, got, want T) {
	b.Helper()
	if got != want {
		b.Errorf("%s: %v, want %v", what, got, want)
	}
}

// contains fails the test if a text lacks another.
func (b *tab) contains(what, text, part string) {
	b.Helper()
	if !strings.Contains(text, part) {
		b.Errorf("%s is %q, which lacks %q", what, text, part)
	}
}

// shoot leaves a screenshot if the flag asks for it.
func (b *tab) shoot(name string) {
	b.Helper()
	if *shots == "" {
		return
	}
	png, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
	if err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(*shots, name+".png"), png, 0o600); err != nil {
		b.Fatal(err)
	}
}
