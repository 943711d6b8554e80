package site

import (
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
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
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
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.WSURLReadTimeout(2*time.Minute))
	allocator, _ := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, _ := chromedp.NewContext(allocator)
	return ctx, chromedp.Do(ctx)
})

func TestMain(m *testing.M) {
	flag.Parse()
	code := m.Run()
	if ctx, err := browser(); err == nil {
		_ = chromedp.Cancel(ctx)
	}
	os.Exit(code)
}

// view is how a page is looked at.
type view struct {
	width, height   int64
	dark, scriptOff bool
}

func (v view) scheme() string {
	if v.dark {
		return "dark"
	}
	return "light"
}

// tab is a page in the browser. A message on its console fails the test.
type tab struct {
	testing.TB
	ctx context.Context

	mu       sync.Mutex
	messages []string
}

// open shows a page of the site, as a browser opens a file.
func open(t testing.TB, page string, v view) *tab {
	t.Helper()
	parent, err := browser()
	if err != nil {
		t.Fatalf("no browser: %v", err)
	}
	file, err := filepath.Abs(filepath.Join(public, page))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := chromedp.NewContext(parent)
	ctx, stop := context.WithTimeout(ctx, 3*time.Minute)
	b := &tab{TB: t, ctx: ctx}
	if err := chromedp.Listen(ctx, b.listen); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		for _, m := range b.messages {
			t.Errorf("on the console of %s: %s", page, m)
		}
		stop()
		cancel()
	})
	call(b, log.Enable, cdp.Empty{})
	call(b, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: v.scriptOff})
	b.look(v)
	b.do(chromedp.Navigate("file://" + file))
	return b
}

// look shows the page on another screen.
func (b *tab) look(v view) {
	b.Helper()
	features := []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: v.scheme()}, {Name: "prefers-reduced-motion", Value: "reduce"}}
	call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: features})
	call(b, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: v.width, Height: v.height, DeviceScaleFactor: 1})
}

// listen keeps what is said on the console.
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

// value is the value of an expression, for which the test waits if it is a promise. Each %s stands for a text.
func value[T any](b *tab, expression string, texts ...string) T {
	b.Helper()
	var quoted []any
	for _, text := range texts {
		q, _ := json.Marshal(text) // a string is always encoded
		quoted = append(quoted, string(q))
	}
	if len(quoted) > 0 {
		expression = fmt.Sprintf(expression, quoted...)
	}
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		b.Fatalf("%.300s: %v", expression, err)
	}
	return v
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
