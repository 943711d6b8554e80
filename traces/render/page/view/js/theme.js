// Theme: that of the system, or what the page around this one's frame says, "dark" or "light".
const themed = [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules])
  .filter((rule) => rule instanceof CSSMediaRule && rule.conditionText.includes("prefers-color-scheme"))
  .map((rule) => ({ rule, usual: rule.media.mediaText }));

function showTheme(theme) {
  for (const { rule, usual } of themed) rule.media.mediaText = theme === "dark" ? "screen" : theme === "light" ? "not all" : usual;
  document.documentElement.style.colorScheme = theme;
}

addEventListener("message", ({ source, data }) => {
  if (source === parent && ["dark", "light", ""].includes(data?.theme)) showTheme(data.theme);
});
