package handlertest

import (
	"context"
	"os/exec"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"plumbline/models/modelstest"
)

// Browser is a headless Chromium of the test's own, with what it complained of.
type Browser struct {
	ctx context.Context
	t   testing.TB

	Foreign  []string // requests to another host than the site's
	Problems []string // messages of the console and violations of the content policy
}

// NewBrowser starts a browser for a site; it is skipped where there is none.
func (s *Site) NewBrowser(t testing.TB, width, height int64) *Browser {
	t.Helper()
	path, err := exec.LookPath("chromium")
	if err != nil {
		modelstest.Need(t, "chromium is not installed")
	}
	alloc, endAlloc := chromedp.NewExecAllocator(context.Background(),
		append(append([]chromedp.ExecAllocatorOption(nil), chromedp.DefaultExecAllocatorOptions[:]...),
			chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU,
			chromedp.Flag("disable-quic", true), chromedp.Flag("disable-background-networking", true),
			chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-sync", true),
		)...)
	ctx, end := chromedp.NewContext(alloc)
	b := &Browser{ctx: ctx, t: t}
	t.Cleanup(func() {
		end()
		endAlloc()
	})
	if err := chromedp.Do(ctx); err != nil {
		t.Fatalf("start chromium: %v", err)
	}
	if err := chromedp.Listen(ctx, func(ev any) { b.hear(s.URL, ev) }); err != nil {
		t.Fatal(err)
	}
	for _, enable := range []func() error{
		func() error { _, err := chromedp.Call(ctx, log.Enable, cdp.Empty{}); return err },
		func() error { _, err := chromedp.Call(ctx, network.Enable, network.EnableParams{}); return err },
	} {
		if err := enable(); err != nil {
			t.Fatal(err)
		}
	}
	b.Do(chromedp.EmulateViewport(width, height))
	return b
}

func (b *Browser) hear(site string, ev any) {
	switch e := ev.(type) {
	case *network.EventRequestWillBeSent:
		if u := e.Request.URL; len(u) > 4 && u[:4] == "http" && (len(u) < len(site) || u[:len(site)] != site) {
			b.Foreign = append(b.Foreign, u)
		}
	case *runtime.EventConsoleAPICalled:
		if e.Type == runtime.ConsoleAPICalledTypeError || e.Type == runtime.ConsoleAPICalledTypeWarning {
			b.Problems = append(b.Problems, "console: "+string(e.Type))
		}
	case *runtime.EventExceptionThrown:
		b.Problems = append(b.Problems, "exception: "+e.ExceptionDetails.Text)
	case *log.EventEntryAdded:
		if e.Entry.Level == log.EntryLevelError {
			b.Problems = append(b.Problems, e.Entry.Text+" "+e.Entry.URL)
		}
	}
}

// step bounds one action of a test.
const step = 30 * time.Second

// Do runs actions one after the other and fails the test at the first that does
// not come about in time.
func (b *Browser) Do(actions ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	ctx, end := context.WithTimeout(b.ctx, step)
	defer end()
	for i, a := range actions {
		if err := chromedp.Do(ctx, a); err != nil {
			where, _ := chromedp.Run(b.ctx, chromedp.Location())
			b.t.Fatalf("browser action %d at %s: %v", i, where, err)
		}
	}
}

// Text is the visible text of the first element that a selector finds.
func (b *Browser) Text(selector string) string {
	b.t.Helper()
	ctx, end := context.WithTimeout(b.ctx, step)
	defer end()
	text, err := chromedp.Run(ctx, chromedp.Text(chromedp.CSS(selector)))
	if err != nil {
		b.t.Fatalf("read %s: %v", selector, err)
	}
	return text
}

// Location is the address of the page.
func (b *Browser) Location() string {
	b.t.Helper()
	at, err := chromedp.Run(b.ctx, chromedp.Location())
	if err != nil {
		b.t.Fatal(err)
	}
	return at
}

// Script evaluates an expression that gives a T.
func Script[T any](b *Browser, expression string) T {
	b.t.Helper()
	ctx, end := context.WithTimeout(b.ctx, step)
	defer end()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		b.t.Fatalf("evaluate %s: %v", expression, err)
	}
	return v
}

// Until waits for an expression to become true.
func (b *Browser) Until(what, expression string) {
	b.t.Helper()
	ctx, end := context.WithTimeout(b.ctx, step)
	defer end()
	for {
		// While the page changes there may be no document to ask, which is not yet.
		ok, err := chromedp.Run(ctx, chromedp.Evaluate[bool]("!!("+expression+")"))
		if err == nil && ok {
			return
		}
		if ctx.Err() != nil {
			b.t.Fatalf("%s did not happen within %v at %s (%v)", what, step, b.Location(), err)
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// Dark asks pages for their dark or light colours.
func (b *Browser) Dark(on bool) {
	b.t.Helper()
	value := "light"
	if on {
		value = "dark"
	}
	params := emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: value}}}
	if _, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, params); err != nil {
		b.t.Fatal(err)
	}
}

// Picture is a PNG of the whole page.
func (b *Browser) Picture() []byte {
	b.t.Helper()
	ctx, end := context.WithTimeout(b.ctx, step)
	defer end()
	png, err := chromedp.Run(ctx, chromedp.FullScreenshot(100))
	if err != nil {
		b.t.Fatal(err)
	}
	return png
}

// Screen is a PNG of what the window shows.
func (b *Browser) Screen() []byte {
	b.t.Helper()
	ctx, end := context.WithTimeout(b.ctx, step)
	defer end()
	png, err := chromedp.Run(ctx, chromedp.CaptureScreenshot())
	if err != nil {
		b.t.Fatal(err)
	}
	return png
}

// Quiet fails the test if the pages asked another host or complained.
func (b *Browser) Quiet() {
	b.t.Helper()
	for _, u := range b.Foreign {
		b.t.Errorf("a page asked another host: %s", u)
	}
	for _, p := range b.Problems {
		b.t.Errorf("the browser complained: %s", p)
	}
}
