/* SVG and HTML elements. Text only ever becomes text, so nothing that comes over the network can be markup. */

export function svg(name, attributes = {}, ...inside) {
  return made(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, inside);
}

export function html(name, attributes = {}, ...inside) {
  return made(document.createElement(name), attributes, inside);
}

function made(element, attributes, inside) {
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...inside);
  return element;
}

/* Writes a text if it has changed. */
export function write(element, text) {
  if (element.textContent !== text) element.textContent = text;
}
