package sitepages

import (
	"os"
	"path/filepath"
	"slices"

	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/internal/matrix"
	"github.com/lockpick-dev/lockpick/model"
)

// property are the params of a property's page.
type property struct {
	Source  string `json:"source"` // of its text's links
	Letter  string `json:"letter"`
	Legend  string `json:"legend"`
	Kind    string `json:"kind"`
	Asks    string `json:"asks,omitempty"`
	Picture string `json:"picture,omitempty"`
	Code    string `json:"code,omitempty"` // the file that judges it
	// Faults and Limits are the locks that must violate it, with the scenarios in which they do.
	Faults []breaker `json:"faults,omitempty"`
	Limits []breaker `json:"limits,omitempty"`
}

// breaker is a lock that violates a property.
type breaker struct {
	Lock      string   `json:"lock"`
	Scenarios []string `json:"scenarios"`
}

// properties writes docs/properties.md and a page for each property.
func (s *site) properties() error {
	const file = "docs/properties.md"
	title, text, err := s.document(file)
	if err != nil {
		return err
	}
	s.addresses[file] = address{Page: "/properties"}
	if err := s.page("properties/_index.md", front{Title: title, Params: document{Source: file, About: firstSentence(text)}}, text); err != nil {
		return err
	}
	for i, p := range checker.Properties() {
		one := property{Source: file, Letter: p.Letter, Legend: p.Legend, Asks: p.Description.Asks, Kind: kindOf(&p)}
		one.Faults, one.Limits = s.breakers(model.Violation{Property: p.ID}), s.breakers(model.Violation{Property: p.ID, Limit: true})
		picture := "docs/properties/" + p.ID + ".svg"
		if _, err := os.Stat(filepath.Join(s.Root, picture)); err == nil {
			if err := s.picture(picture); err != nil {
				return err
			}
			one.Picture = s.addresses[picture].File
		}
		code := "checker/property_" + fileWord(p.ID) + ".go"
		if _, err := os.Stat(filepath.Join(s.Root, code)); err == nil {
			one.Code = code
		}
		f := front{Title: p.ID, Description: sentence(p.About), Weight: i + 1, Params: one}
		if err := s.page("properties/"+p.ID+".md", f, p.Doc+"\n"); err != nil {
			return err
		}
	}
	return nil
}

// kindOf describes the meaning of violations of a property.
func kindOf(p *checker.Property) string {
	switch {
	case p.Weak:
		return "Weak: sound locks may violate it too. It is judged only if it is named, or with the parameter weak."
	case p.Promised:
		return "Judged of the locks that promise it, or if it is named."
	case p.MayBeLimit:
		return "A violation is a fault of the lock or a limit of leases, by its cause."
	}
	return "A violation is a fault of the lock."
}

// breakers returns the locks that must show a violation.
func (s *site) breakers(v model.Violation) (list []breaker) {
	for _, r := range s.rows {
		one := breaker{Lock: r.lock.ID}
		for _, c := range r.cells {
			if c != nil && slices.Contains(c.Expected.Must, v) {
				one.Scenarios = append(one.Scenarios, c.Scenario.ID)
			}
		}
		if len(one.Scenarios) > 0 {
			list = append(list, one)
		}
	}
	return list
}

// shown is a violation on a page.
type shown struct {
	Property string `json:"property"`
	Class    string `json:"class"` // fault, limit or weak
}

func showAll(list []model.Violation) (all []shown) {
	for _, v := range list {
		one := shown{v.Property, v.Class()}
		if matrix.StandingOf(v) == matrix.NoneFound {
			one.Class = "weak"
		}
		all = append(all, one)
	}
	return all
}
