// The data of a page: JSON in its element, packed or not.
async function page_data() {
  const element = document.getElementById("data");
  if (!("packed" in element.dataset)) return JSON.parse(element.textContent);
  const bytes = Uint8Array.from(atob(element.textContent), c => c.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"))).json();
}
