! SPDX-License-Identifier: MIT
! One sweep of the two-dimensional Gauss-Seidel method: each update needs the value
! that the update before it has just written.
subroutine gauss_seidel(phi, imax, kmax)
  implicit none
  integer, intent(in) :: imax, kmax
  real(8), intent(inout) :: phi(0:imax, 0:kmax)
  integer :: i, k

  do k = 1, kmax - 1
     do i = 1, imax - 1
        phi(i, k) = 0.25d0 * (phi(i - 1, k) + phi(i + 1, k) + phi(i, k - 1) + phi(i, k + 1))
     end do
  end do
end subroutine gauss_seidel
