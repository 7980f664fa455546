// What a number means: beside it while it has the pointer or the focus, until Escape.
(() => {
  const tip = document.getElementById("tip");
  let owner = null;

  const hide = () => {
    owner?.removeAttribute("aria-describedby");
    owner = null;
    tip.hidden = true;
  };

  const show = (target) => {
    if (target === owner) return;
    hide();
    if (!target) return;
    owner = target;
    owner.setAttribute("aria-describedby", "tip");
    tip.textContent = target.dataset.tip;
    tip.hidden = false;
    place();
  };

  const place = () => {
    const box = owner.getBoundingClientRect();
    const width = document.documentElement.clientWidth;
    const left = Math.min(Math.max(8, box.left), width - tip.offsetWidth - 8);
    const below = box.bottom + 6;
    const fits = below + tip.offsetHeight < innerHeight;
    tip.style.left = `${left}px`;
    tip.style.top = `${fits ? below : box.top - tip.offsetHeight - 6}px`;
  };

  const owned = (event) => (event.target instanceof Element ? event.target.closest("[data-tip]") : null);
  addEventListener("mouseover", (event) => show(owned(event)));
  addEventListener("focusin", (event) => show(owned(event)));
  addEventListener("focusout", hide);
  addEventListener("keydown", (event) => event.key === "Escape" && hide());
  // the focus may itself scroll the page
  const scrolled = () => (owner?.contains(document.activeElement) ? place() : hide());
  addEventListener("scroll", scrolled, { capture: true, passive: true });
})();
