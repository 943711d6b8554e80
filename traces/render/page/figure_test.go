package page

import (
	"bytes"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/internal/test/sampletraces"
	"github.com/lockpick-dev/lockpick/traces"
	"github.com/lockpick-dev/lockpick/traces/render/picture"
	"github.com/lockpick-dev/lockpick/traces/story"
)

// TestFigure: a figure is a well-formed part of a page, tells what is wrong and
// every step, has no script and no references out, and keeps its ids apart from
// another's.
func TestFigure(t *testing.T) {
	paths, err := filepath.Glob("../../corpus/*.json")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no corpus: %v", err)
	}
	ids := map[string]string{}
	for i, path := range paths {
		tr, err := traces.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if err := Figure(&out, tr, "f"+string(rune('a'+i))); err != nil {
			t.Fatal(err)
		}
		text := out.String()
		sampletraces.WellFormed(t, path, text)
		tags := regexp.MustCompile(`>[^<]*<`).ReplaceAllString(text, "><")
		for _, bad := range []string{"<script", "data-", "href=", "src="} {
			if strings.Contains(tags, bad) {
				t.Errorf("%s: the figure has %q", path, bad)
			}
		}
		if n := strings.Count(text, `<li class="step`); n != len(story.Steps(tr)) {
			t.Errorf("%s: %d steps are shown of %d", path, n, len(story.Steps(tr)))
		}
		for _, m := range regexp.MustCompile(` id="([^"]*)"`).FindAllStringSubmatch(text, -1) {
			if other := ids[m[1]]; other != "" {
				t.Errorf("the id %q is in %s and in %s", m[1], path, other)
			}
			ids[m[1]] = path
		}
	}
	if !strings.Contains(string(picture.FigureDefs()), `id="hatch"`) || !strings.Contains(FigureStyle(), "prefers-color-scheme: dark") {
		t.Error("what every page needs once is not there")
	}
}

// TestFigureShowsText: what a trace says is text, whatever it contains.
func TestFigureShowsText(t *testing.T) {
	tr, err := traces.ReadFile("../../corpus/gc-pause_setpx_no-lost-update.json")
	if err != nil {
		t.Fatal(err)
	}
	const evil = `<b data-x="1">"`
	for i := range tr.Verdicts {
		tr.Verdicts[i].Sentence = evil
	}
	for i := range tr.Actors {
		if tr.Actors[i].Kind == traces.ClientActor {
			continue
		}
		tr.Actors[i].Kind = traces.ActorKind(evil)
	}
	var out bytes.Buffer
	if err := Figure(&out, tr, "f"); err != nil {
		t.Fatal(err)
	}
	sampletraces.WellFormed(t, "evil", out.String())
	if strings.Contains(out.String(), "<b ") || !strings.Contains(out.String(), "&lt;b data-x=") {
		t.Errorf("it is not shown as text:\n%s", out.String())
	}
}

// TestFigureTooLarge: of a story that would fill the page there is the beginning,
// with what part of it that is; of one of which not even that fits there are the
// steps.
func TestFigureTooLarge(t *testing.T) {
	tr, err := traces.ReadFile("../../corpus/gc-pause_setpx_no-lost-update.json")
	if err != nil {
		t.Fatal(err)
	}
	p := picture.New(story.Of(tr))
	shown := picture.StoryWindow(p.Story)
	whole, scale := figureOf(p, "f", shown)
	if whole == "" || scale != "" {
		t.Errorf("%d bytes, %q", len(whole), scale)
	}
	at := p.Layers[picture.LayerMessages][0]
	for range maxFigure / 60 { // somebody asks again and again, later on
		s := at
		s.Kind, s.T0, s.T1 = picture.ShapeRect, shown.To-shown.Span()/8, shown.To
		p.Layers[picture.LayerMessages] = append(p.Layers[picture.LayerMessages], s)
	}
	if part, scale := figureOf(p, "f", shown); part == "" || len(part) > maxFigure || !strings.Contains(scale, "of a run of") {
		t.Errorf("%d bytes, %q", len(part), scale)
	}

	for range 5 { // lanes for a crowd
		tr.Actors = append(tr.Actors, tr.Actors...)
	}
	var out bytes.Buffer
	if err := Figure(&out, tr, "f"); err != nil {
		t.Fatal(err)
	}
	if out.Len() > maxFigure || !strings.Contains(out.String(), "Too much happens in it") || !strings.Contains(out.String(), `<li class="step`) {
		t.Errorf("%d bytes, and it does not say that there is too much", out.Len())
	}
}
