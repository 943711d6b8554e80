package judgepage

import (
	"bytes"
	"fmt"
	"io"

	"github.com/lockpick-dev/lockpick/internal/judging"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/traces/render/picture"
)

// WritePorcupine writes porcupine's page of calls, with a content security policy like that of the other pages.
func WritePorcupine(w io.Writer, j *judging.Judgement, calls []model.Call) error {
	var page bytes.Buffer
	if err := j.Draw(&page, calls); err != nil {
		return err
	}
	const head = "<head>\n"
	before, after, ok := bytes.Cut(page.Bytes(), []byte(head))
	style, hasStyle := inside(after, "style")
	script, hasScript := inside(after, "script")
	if !ok || !hasStyle || !hasScript {
		return fmt.Errorf("porcupine's page is not as it was: it has no head, or not one style sheet and one script")
	}
	// The script gives elements styles of their own.
	policy := picture.Policy(style, script) + "; style-src-attr 'unsafe-inline'"
	_, err := fmt.Fprintf(w, "%s%s    <meta http-equiv=\"Content-Security-Policy\" content=\"%s\" />\n%s", before, head, policy, after)
	return err
}

// inside returns the text of the only element with a name.
func inside(page []byte, name string) (text string, one bool) {
	_, rest, found := bytes.Cut(page, []byte("<"+name+">"))
	in, after, closed := bytes.Cut(rest, []byte("</"+name+">"))
	return string(in), found && closed && !bytes.Contains(after, []byte("<"+name))
}
