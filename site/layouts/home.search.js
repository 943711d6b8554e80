{{- /* What is searched: each page, and each of its sections of the second level. */ -}}
{{- $documents := slice -}}
{{- range site.RegularPages -}}
{{- $page := . -}}
{{- $url := strings.TrimPrefix "/" .RelPermalink -}}
{{- $where := .FirstSection.Title -}}
{{- range $i, $part := split .Content "<h2 id=\"" -}}
{{- $heading := "" -}}{{- $anchor := "" -}}{{- $html := $part -}}
{{- if $i -}}
{{- $anchor = index (split $part "\"") 0 -}}
{{- $html = substr $part (add 1 (len (index (split $part ">") 0))) -}}
{{- $heading = index (split $html " <a class=\"anchor\"") 0 | plainify | htmlUnescape -}}
{{- $html = index (split $html "</h2>") 1 -}}
{{- end -}}
{{- /* Figures in tables are not searched for. */ -}}
{{- $text := replaceRE `(?s)<td class="right">.*?</td>` " " $html | plainify | htmlUnescape -}}
{{- $text = replaceRE `\s+` " " $text -}}
{{- if not $i -}}{{- with $page.Description -}}{{- $text = printf "%s %s" (plainify .) $text -}}{{- end -}}{{- end -}}
{{- $documents = $documents | append (dict "t" $page.Title "h" $heading "s" $where "u" (cond (eq $anchor "") $url (printf "%s#%s" $url $anchor)) "x" (substr $text 0 4000)) -}}
{{- end -}}
{{- end -}}
window.lockpickPages = {{ jsonify $documents }};
