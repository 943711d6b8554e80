package realclient

import (
	"encoding/json"
	"errors"
	"io"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/traces"
)

// Question is a call of a method of a [Subject] in another process.
type Question struct {
	// Extent requests the extent of a trace, and Judge a run as a trace. One of them is set.
	Extent *traces.Trace `json:"extent,omitempty"`
	Judge  *Run          `json:"judge,omitempty"`
}

// Answer is the result of the method. The first answer has the facts, and comes without a question.
type Answer struct {
	Facts  *Facts        `json:"facts,omitempty"`
	Extent *Extent       `json:"extent,omitempty"`
	Trace  *traces.Trace `json:"trace,omitempty"`
	Err    string        `json:"err,omitempty"`
}

// answer answers for the subject of a cell until the driver is gone. An error of the cell is an answer too.
func answer(c cell.Cell, err error, questions *json.Decoder, answers *json.Encoder) error {
	if err != nil {
		return answers.Encode(Answer{Err: err.Error()})
	}
	s := Here(c)
	facts := s.Facts()
	if err := answers.Encode(Answer{Facts: &facts}); err != nil {
		return err
	}
	for {
		var q Question
		if err := questions.Decode(&q); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		if err := answers.Encode(q.answer(s)); err != nil {
			return err
		}
	}
}

// answer calls the method.
func (q *Question) answer(s Subject) (a Answer) {
	var err error
	switch {
	case q.Extent != nil && q.Extent.Verdict() != nil:
		var e Extent
		e, err = s.Extent(q.Extent)
		a.Extent = &e
	case q.Judge != nil:
		a.Trace, err = s.Judge(*q.Judge)
	default:
		err = errors.New("the question is not known")
	}
	if err != nil {
		return Answer{Err: err.Error()}
	}
	return a
}
