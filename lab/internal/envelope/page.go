package envelope

import (
	"bytes"
	"crypto/sha256"
	_ "embed" // the page
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
)

var (
	//go:embed page/page.html
	pageHTML string
	//go:embed page/page.css
	pageCSS string

	pageTemplate = template.Must(template.New("envelope").Parse(pageHTML))
)

// Report is everything that a command has made.
type Report struct {
	Search *Search
	Rule   *Rule
	Maps   []*Map
	Needs  *Needs
	// Paths are the files of the counterexamples, and Again is the command that makes the same report.
	Paths map[*Result]string
	Again string
}

// page is the data of the page's template. The page has no script.
type page struct {
	Policy              string
	Style               template.CSS
	Title, Needs, Again string
	Formula, Why        string
	Maps                []pageMap
}

type pageMap struct {
	Title   string
	Picture template.HTML
	*Object
}

// Page writes the report as a page: one file without external references, whose content security policy admits only its own style
// sheets.
func (r *Report) Page(w io.Writer) error {
	p := page{
		Style: template.CSS(pageCSS + style), Title: r.Search.Title(), Needs: r.Needs.Sentence(), Again: r.Again,
	}
	sum := sha256.Sum256([]byte(pageCSS + style))
	p.Policy = "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; base-uri 'none'; form-action 'none'"
	if r.Rule != nil {
		p.Formula, p.Why = r.Rule.Text(), r.Rule.Why()
	}
	for _, m := range r.Maps {
		picture := fmt.Sprintf(`<svg viewBox="0 0 %.0f %.0f" role="img" aria-label="%s by %s"><rect class="card" width="%.0f" height="%.0f"/>%s</svg>`,
			width, height, m.Y.Title(), m.X.Title(), width, height, m.drawing(r.Search, r.Rule))
		p.Maps = append(p.Maps, pageMap{m.Y.Title() + " by " + m.X.Title(), template.HTML(picture), m.Object(r.Search, r.Rule, r.Paths)})
	}
	var out bytes.Buffer
	if err := pageTemplate.Execute(&out, p); err != nil {
		return fmt.Errorf("envelope: the page: %w", err)
	}
	_, err := w.Write(out.Bytes())
	return err
}
