package ci

import (
	"cmp"
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"time"
)

// Suite is the report of one command: the cases that it judged, with their results.
type Suite struct {
	// Name is the command, and Package its subject.
	Name, Package string
	// Began is when the command began, and Took how long it ran, in real time. With zero values reports can be compared.
	Began time.Time
	Took  time.Duration
	// Properties are the settings of the command.
	Properties []SuiteProperty
	Cases      []Case
	// Out is further output of the command.
	Out string
}

// SuiteProperty is a setting of the command.
type SuiteProperty struct {
	Name  string `xml:"name,attr"`
	Value string `xml:"value,attr"`
}

// Came is the result of a case.
type Came string

// The results of cases. Failed is a violation; Broken did not finish, or could not be decided; Skipped proves nothing.
const (
	Passed  Came = ""
	Failed  Came = "failure"
	Broken  Came = "error"
	Skipped Came = "skipped"
)

// Case is a judged case.
type Case struct {
	Class, Name string
	Took        time.Duration
	Came        Came
	// Of a case that did not pass: Kind is a word, Message a sentence, and Text the story, empty for a skipped one.
	Kind, Message, Text string
}

// The elements of the report, by the schemas of Ant's JUnit task and of Jenkins' xUnit plugin.
type (
	xmlSuites struct {
		XMLName xml.Name `xml:"testsuites"`
		Suite   xmlSuite `xml:"testsuite"`
	}
	xmlSuite struct {
		Name       string        `xml:"name,attr"`
		Package    string        `xml:"package,attr"`
		ID         int           `xml:"id,attr"`
		Timestamp  string        `xml:"timestamp,attr"`
		Host       string        `xml:"hostname,attr"`
		Tests      int           `xml:"tests,attr"`
		Failures   int           `xml:"failures,attr"`
		Errors     int           `xml:"errors,attr"`
		Skipped    int           `xml:"skipped,attr"`
		Time       string        `xml:"time,attr"`
		Properties xmlProperties `xml:"properties"`
		Cases      []xmlCase     `xml:"testcase"`
		Out        string        `xml:"system-out"`
		Err        string        `xml:"system-err"`
	}
	xmlProperties struct {
		List []SuiteProperty `xml:"property"`
	}
	xmlCase struct {
		Name    string     `xml:"name,attr"`
		Class   string     `xml:"classname,attr"`
		Time    string     `xml:"time,attr"`
		Failure *xmlReason `xml:"failure,omitempty"`
		Error   *xmlReason `xml:"error,omitempty"`
		Skipped *xmlReason `xml:"skipped,omitempty"`
	}
	xmlReason struct {
		Message string `xml:"message,attr"`
		Kind    string `xml:"type,attr,omitempty"` // absent from skipped cases
		Text    string `xml:",chardata"`
	}
)

// WriteJUnit writes the report. Characters that XML cannot have are replaced.
func (s *Suite) WriteJUnit(w io.Writer) error {
	began := s.Began
	if began.IsZero() {
		began = time.Unix(0, 0)
	}
	x := xmlSuite{
		Name: token(s.Name), Package: token(s.Package), Host: "localhost",
		Timestamp: began.UTC().Format("2006-01-02T15:04:05"), Time: seconds(s.Took),
		Tests: len(s.Cases), Properties: xmlProperties{List: s.Properties}, Out: s.Out,
	}
	for _, c := range s.Cases {
		one := xmlCase{Name: token(c.Name), Class: token(c.Class), Time: seconds(c.Took)}
		why := &xmlReason{Message: c.Message, Kind: cmp.Or(c.Kind, string(c.Came)), Text: c.Text}
		switch c.Came {
		case Failed:
			x.Failures++
			one.Failure = why
		case Broken:
			x.Errors++
			one.Error = why
		case Skipped:
			x.Skipped++
			why.Message, why.Kind, why.Text = strings.TrimPrefix(c.Kind+": "+c.Message, ": "), "", ""
			one.Skipped = why
		}
		x.Cases = append(x.Cases, one)
	}
	out, err := xml.MarshalIndent(xmlSuites{Suite: x}, "", "  ")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s%s\n", xml.Header, out)
	return err
}

// seconds returns the seconds of a duration, as a decimal number.
func seconds(d time.Duration) string { return fmt.Sprintf("%.3f", d.Seconds()) }

// token returns text in one line without blanks at its ends, as names must be.
func token(s string) string { return strings.Join(strings.Fields(s), " ") }
