package sitepages

// trackRecord writes the track record, and the list of reports.
func (s *site) trackRecord() error {
	const file, reports = "docs/track-record.md", "docs/reports/README.md"
	title, text, err := s.document(file)
	if err != nil {
		return err
	}
	s.addresses[file] = address{Page: "/track-record"}
	if err := s.page("track-record/_index.md", front{Title: title, Params: document{Source: file, About: firstSentence(text)}}, text); err != nil {
		return err
	}
	title, text, err = s.document(reports)
	if err != nil {
		return err
	}
	s.addresses[reports] = address{Page: "/track-record/reports"}
	s.addresses["docs/reports"] = s.addresses[reports]
	return s.page("track-record/reports.md", front{Title: title, Weight: 1, Params: document{Source: reports}}, text)
}
