/**
 * The page's script: searches, filters and sorts problems. The page is readable without it. It uses only the text of rows, and
 * never reads or creates markup.
 */
export const BEHAVIOUR = `
'use strict';
(() => {
  const table = document.getElementById('problems');
  const tools = document.getElementById('tools');
  if (!table || !tools) return;
  const search = document.getElementById('search');
  const choose = document.getElementById('choose');
  const shown = document.getElementById('shown');
  const groups = Array.from(table.tBodies, (body) => ({
    body,
    words: body.rows[0].textContent.toLowerCase(),
    kinds: (body.dataset.kinds || '').split(' '),
    values: Array.from(body.rows[0].cells, (cell) => cell.dataset.value === undefined ? cell.textContent : Number(cell.dataset.value)),
  }));
  const filter = () => {
    const words = search.value.toLowerCase().split(/\\s+/).filter(Boolean);
    let count = 0;
    for (const group of groups) {
      const fits = (choose.value === '' || group.kinds.includes(choose.value)) && words.every((word) => group.words.includes(word));
      group.body.hidden = !fits;
      if (fits) count += 1;
    }
    shown.textContent = count + ' of ' + groups.length + ' problems shown';
  };
  let waiting = 0;
  search.addEventListener('input', () => { clearTimeout(waiting); waiting = setTimeout(filter, 120); });
  choose.addEventListener('change', filter);
  const compare = new Intl.Collator('en', { numeric: true }).compare;
  const heads = Array.from(table.tHead.rows[0].cells);
  heads.forEach((head, column) => {
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = head.textContent;
    head.textContent = '';
    head.append(button);
    button.addEventListener('click', () => {
      const numbers = typeof groups[0].values[column] === 'number';
      const before = head.getAttribute('aria-sort');
      const order = before === null ? (numbers ? 'descending' : 'ascending') : before === 'ascending' ? 'descending' : 'ascending';
      for (const other of heads) other.removeAttribute('aria-sort');
      head.setAttribute('aria-sort', order);
      const sign = order === 'ascending' ? 1 : -1;
      groups.sort((one, two) => sign * (numbers ? one.values[column] - two.values[column] : compare(one.values[column], two.values[column])));
      table.append(...groups.map((group) => group.body));
    });
  });
  filter();
  tools.hidden = false;
})();
`
