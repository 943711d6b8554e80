package fleet

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/traces"
)

//go:embed page.html
var pageText string

var pageTemplate = template.Must(template.New("page").Funcs(template.FuncMap{
	"grouped": wording.Grouped[int], "seconds": func(d time.Duration) string { return d.Round(time.Second).String() },
}).Parse(pageText))

// page is a file that shows the state of a search over time. It is self-contained, and reloads itself.
type page struct {
	path   string
	points []point
	say    *sayer
}

// point is the state of the search at a time.
type point struct {
	At        time.Time      `json:"at"`
	Schedules int            `json:"schedules"`
	Classes   int            `json:"classes"`
	Spent     time.Duration  `json:"spentNanos"`
	Found     map[string]int `json:"found"` // schedules, by the property
	// Causes counts schedules by the property and the cause.
	Causes map[string]int `json:"causes,omitempty"`
}

// mostPoints is the maximum number of points of a page; beyond it every second one is dropped.
const mostPoints = 512

// newPage continues the points of an existing page.
func newPage(path string, say *sayer) (*page, error) {
	if ext := strings.ToLower(filepath.Ext(path)); ext != ".html" && ext != ".htm" {
		return nil, fmt.Errorf("--page %s: the page is HTML: want a name that ends with .html", path)
	}
	p := &page{path: path, say: say}
	old, err := os.ReadFile(path)
	if err == nil {
		_, rest, found := strings.Cut(string(old), pointsBegin)
		data, _, _ := strings.Cut(rest, pointsEnd)
		if !found || json.Unmarshal([]byte(data), &p.points) != nil {
			return nil, fmt.Errorf("--page %s: there is another file of that name: name a new one", path)
		}
	}
	return p, nil
}

// The marks around the points in the page.
const (
	pointsBegin = `<script type="application/json" id="points">`
	pointsEnd   = `</script>`
)

func (f Found) name() string {
	if f.Limit {
		return f.Property + " (limit)"
	}
	return f.Property
}

func (p *page) saw(s Status) {
	now := point{At: time.Now().UTC(), Schedules: s.Schedules, Classes: s.Classes, Spent: s.Spent, Found: map[string]int{}}
	for _, f := range s.Found {
		now.Found[f.name()] = f.Schedules
		for _, c := range f.Causes {
			if now.Causes == nil {
				now.Causes = map[string]int{}
			}
			now.Causes[f.name()+": "+c.Cause] = c.Schedules
		}
	}
	if n := len(p.points); n > 0 && p.points[n-1].Schedules == now.Schedules {
		p.points = p.points[:n-1]
	}
	if p.points = append(p.points, now); len(p.points) > mostPoints {
		var half []point
		for i := 0; i < len(p.points); i += 2 {
			half = append(half, p.points[i])
		}
		p.points = half
	}
	if err := traces.Replace(p.path, func(w io.Writer) error { return p.write(w, s) }); err != nil {
		p.say.once("the page cannot be written: %v", err)
	}
}

func (p *page) close() error { return nil }

// chart is a curve of the page.
type chart struct {
	Title, Most string
	Curves      []curve
}

type curve struct {
	Name, Points string
	Hue          int
}

// charts returns the curves over time: findings by property and by cause, schedules and classes, each from 0 to its
// maximum.
func (p *page) charts(s Status) []chart {
	line := func(title string, names []string, value func(point, int) int) chart {
		most := 1
		for _, at := range p.points {
			for i := range names {
				most = max(most, value(at, i))
			}
		}
		c := chart{Title: title, Most: wording.Grouped(most)}
		for i, name := range names {
			var b strings.Builder
			for _, at := range p.points {
				fmt.Fprintf(&b, "%.1f,%.1f ", 600*p.share(at.At), 118-110*float64(value(at, i))/float64(most))
			}
			c.Curves = append(c.Curves, curve{Name: name, Points: b.String(), Hue: 210 + 75*i})
		}
		return c
	}
	var names, causes []string
	for _, f := range s.Found {
		names = append(names, f.name())
		for _, c := range f.Causes {
			causes = append(causes, f.name()+": "+c.Cause)
		}
	}
	list := []chart{
		line("Schedules and classes of outcomes", []string{"schedules", "classes"}, func(at point, i int) int { return []int{at.Schedules, at.Classes}[i] }),
	}
	if len(causes) > 0 {
		list = slices.Insert(list, 0, line("Schedules by cause", causes, func(at point, i int) int { return at.Causes[causes[i]] }))
	}
	if len(names) > 0 {
		list = slices.Insert(list, 0, line("Schedules that violate each property", names, func(at point, i int) int { return at.Found[names[i]] }))
	}
	return list
}

// share returns the place of a time in the page's stretch of time, from 0 to 1.
func (p *page) share(at time.Time) float64 {
	first, last := p.points[0].At, p.points[len(p.points)-1].At
	if !last.After(first) {
		return 0
	}
	return float64(at.Sub(first)) / float64(last.Sub(first))
}

func (p *page) write(w io.Writer, s Status) error {
	points, err := json.Marshal(p.points)
	if err != nil {
		return err
	}
	var vacuous []string
	for _, h := range s.Happened {
		if h.Schedules == 0 {
			vacuous = append(vacuous, h.Name)
		}
	}
	return pageTemplate.Execute(w, map[string]any{
		"S": s, "Charts": p.charts(s), "Vacuous": vacuous, "Now": time.Now().UTC().Format("2006-01-02 15:04:05 UTC"), "Over": s.Done+s.Aside == s.Pieces,
		"Span":    fmt.Sprintf("%s to %s", p.points[0].At.Format("15:04:05"), p.points[len(p.points)-1].At.Format("15:04:05 UTC")),
		"Percent": fmt.Sprintf("%.1f", 100*float64(s.Done)/float64(max(s.Pieces, 1))),
		"Points":  template.HTML(pointsBegin + string(points) + pointsEnd), //nolint:gosec // json.Marshal escapes <, > and &
	})
}
