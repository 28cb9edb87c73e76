// Names and texts of scenarios, in words.

/** The question at the top of a scenario's text, or its first sentence. */
export function subjectOf(text: string): string {
  const comment = commentOf(text);
  return /^(?:Question: )?(.+?[.?])(?: |$)/.exec(comment)?.[1] ?? comment;
}

/** What the comment at the top says after the question, without its commands. */
export function aboutOf(text: string): string {
  const comment = commentOf(text);
  return comment.slice(comment.indexOf(subjectOf(text)) + subjectOf(text).length).trim();
}

function commentOf(text: string): string {
  const lines = text.split("\n");
  const end = lines.findIndex((line) => !line.startsWith("#"));
  const words = lines.slice(0, end < 0 ? lines.length : end).map((line) => line.replace(/^#\s?/, ""));
  const command = words.findIndex((line) => /^\s+\S/.test(line));
  return words.slice(0, command < 0 ? words.length : command).map((line) => line.trim()).filter(Boolean).join(" "); // prettier-ignore
}

/** A value with four digits, or a dash. */
export function written(value: number): string {
  if (!Number.isFinite(value)) return "–";
  return new Intl.NumberFormat("en", { maximumSignificantDigits: Math.abs(value) >= 1000 ? 6 : 4 }).format(value);
}

/** An argument of a shell. */
export const shell = (text: string): string => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);

/** A number with its interval, rounded to what the interval allows. */
export function interval(mean: number, half: number): string {
  if (!Number.isFinite(half) || !half) return written(Number(mean.toPrecision(4)));
  const digits = Math.max(0, 1 - Math.floor(Math.log10(half)));
  const shown = (value: number): string => (digits > 8 ? written(value) : value.toLocaleString("en", { maximumFractionDigits: digits, minimumFractionDigits: digits }));
  return `${shown(mean)} ± ${shown(half)}`;
}
