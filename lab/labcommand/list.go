package labcommand

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/lockpick-dev/lockpick/internal/command"
	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/lab/experiments"
)

// jsonExperiment is an experiment in the list.
type jsonExperiment struct {
	Type       string          `json:"type"`
	ID         string          `json:"id"`
	Summary    string          `json:"summary"`
	Question   string          `json:"question"`
	Source     string          `json:"source,omitempty"`
	Seeds      int             `json:"seeds"`
	Variants   []string        `json:"variants"`
	Parameters []jsonParameter `json:"parameters"`
}

type jsonParameter struct {
	Name    string `json:"name"`
	About   string `json:"about"`
	Default string `json:"default"`
	Range   string `json:"range"`
}

// list lists the experiments.
func (c *experimentCmd) list(a command.Host) error {
	if c.JSON {
		return listJSON(a)
	}
	for _, e := range experiments.All {
		describe(a, e)
	}
	fmt.Fprintln(a.Out(), "Measure with: simrun experiment NAME -p PARAMETER=VALUE")
	return nil
}

// fewVariants is the number of an experiment's variants that are listed for people.
const fewVariants = 6

// describe writes an experiment with its parameters. It notes if the program lacks its locks.
func describe(a command.Host, e *experiments.Experiment) {
	fmt.Fprintf(a.Out(), "%s  %s\n", a.Bold(e.ID), e.Summary)
	text := e.Question
	if e.Source != "" {
		text += " Published: " + e.Source
	}
	for _, line := range wording.Wrap(text, 98) {
		fmt.Fprintf(a.Out(), "  %s\n", a.Faint(line))
	}
	names, missing := e.VariantNames(a.Locks())
	if missing != nil {
		names = []string{"none here: " + missing.Error()}
	}
	more := ""
	if n := len(names) - fewVariants; n > 1 {
		names, more = names[:fewVariants], fmt.Sprintf("; and %d more (--json lists them)", n)
	}
	width := len("variants")
	for _, s := range e.Settings {
		width = max(width, len(s.Name))
	}
	entry := func(name, text string) {
		for _, line := range wording.Wrap(text, 96-width) {
			fmt.Fprintf(a.Out(), "  %-*s  %s\n", width, name, line)
			name = ""
		}
	}
	entry("seeds", fmt.Sprintf("%d, unless --seeds says otherwise", e.Seeds))
	entry("variants", strings.Join(names, "; ")+more)
	for _, s := range e.Settings {
		entry(s.Name, fmt.Sprintf("%s: %s (%s)", s.About, s.Text(s.Default), s.Range()))
	}
	fmt.Fprintln(a.Out())
}

func listJSON(a command.Host) error {
	out := json.NewEncoder(wording.Data(a.Out()))
	for _, e := range experiments.All {
		names, err := e.VariantNames(a.Locks())
		if err != nil {
			names = []string{} // the program lacks the locks
		}
		j := jsonExperiment{
			Type: "experiment", ID: e.ID, Summary: e.Summary, Question: e.Question, Source: e.Source, Seeds: e.Seeds,
			Variants: names, Parameters: []jsonParameter{},
		}
		for _, s := range e.Settings {
			j.Parameters = append(j.Parameters, jsonParameter{s.Name, s.About, s.Text(s.Default), s.Range()})
		}
		if err := out.Encode(j); err != nil {
			return err
		}
	}
	return nil
}
