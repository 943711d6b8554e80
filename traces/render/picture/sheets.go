package picture

import (
	"crypto/sha256"
	_ "embed" // the style sheets
	"encoding/base64"
	"html/template"
)

// Style sheets of pages and pictures, and definitions for pictures.
var (
	//go:embed view/colors.css
	ColorsCSS string
	//go:embed view/page.css
	pageCSS string
	//go:embed view/picture.css
	PictureCSS string
	//go:embed view/defs.svg
	DefsSVG string

	SheetCSS = ColorsCSS + pageCSS + PictureCSS
)

// Policy returns the content security policy of a page that loads nothing: it admits one inline style
// sheet and the inline scripts, each byte for byte, and nothing else.
func Policy(style string, scripts ...string) string {
	policy := "default-src 'none'; "
	if len(scripts) > 0 {
		policy += "script-src"
		for _, script := range scripts {
			policy += " " + hashOf(script)
		}
		policy += "; "
	}
	return policy + "style-src " + hashOf(style) + "; base-uri 'none'; form-action 'none'"
}

// hashOf returns the source expression by which a policy admits one inline text.
func hashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// FigureDefs returns the SVG definitions that [Figure] needs, once a page, with the
// id's hatch and downhatch.
func FigureDefs() template.HTML {
	return template.HTML(`<svg class="defs" width="0" height="0" aria-hidden="true"><defs>` + DefsSVG + `</defs></svg>`)
}
